import { isWellFormed } from './characters.ts'
import { Fault, isPlainObject, kindOf, grouped } from './fault.ts'
import type { JsonValue } from './json-types.ts'
import { LIMITS } from './limits.ts'

/** Reason of every fault about a surrogate without its other half. */
export const LONE_SURROGATE = 'holds a lone surrogate (half of a UTF-16 pair), which is not Unicode text'

/**
 * Kinds of objects that `JSON.stringify` writes without what they hold, or as a table of bytes. A class of one's own that
 * gives itself such a tag is taken for one.
 */
const OPAQUE =
  /^(Map|Set|Weak\w+|Promise|RegExp|Error|\w*Array\w*|DataView|Blob|File|String|Number|Boolean|BigInt|Symbol|\w*Generator|.*Iterator)$/

/**
 * Copies a value as `JSON.stringify` would read it: `toJSON` is called, members that are `undefined` are left out, and of
 * an instance of a class its own members count. What would come out changed or empty there is refused with a `Fault`: NaN,
 * functions, symbols, maps, sets, bytes, invalid dates. Objects of the copy have no prototype, so `__proto__` and
 * `constructor` are names like any other. Reads each property once, so what is checked is what is used, whatever getters
 * or proxies the caller passes.
 *
 * @param maxCharacters The walk ends once the compact JSON must be longer than this. That bounds the time spent on
 *   values that share or repeat objects; the exact length is for the caller to check.
 */
export function copyJson(value: unknown, maxCharacters: number): JsonValue {
  const walk = new JsonCopy(maxCharacters)
  try {
    return walk.copy(value, '') ?? walk.fail('must be a JSON value, got nothing')
  } catch (error) {
    if (error instanceof Fault) throw error
    throw walk.fault('could not be read: a getter, a proxy or toJSON threw')
  }
}

class JsonCopy {
  /** Path of the value that is looked at, names as well as indices. */
  readonly #path: (string | number)[] = []
  readonly #maxCharacters: number
  /** Lower bound of the length of the compact JSON so far. */
  #characters = 0

  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters
  }

  /** @param name of the member, which `toJSON` is called with */
  copy(given: unknown, name: string): JsonValue | undefined {
    const value = this.#convert(given, name)
    if (value === undefined) return undefined
    this.#count(1)
    if (value === null || typeof value === 'boolean') return value
    if (typeof value === 'string') return this.#copyText(value)
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) this.fail(`must be a finite number, got ${value}`)
      return value
    }
    if (typeof value === 'bigint') this.fail('must be a JSON value, got a bigint; convert it to a string or a number')
    if (typeof value !== 'object') this.fail(`must be a JSON value, got ${kindOf(value)}`)
    if (this.#path.length >= LIMITS.jsonDepth) {
      throw new Fault([], `must not nest deeper than ${grouped(LIMITS.jsonDepth)} levels, nor contain itself`)
    }
    if (Array.isArray(value)) return this.#copyArray(value)
    return this.#copyObject(value)
  }

  /** What `toJSON` makes of a value that has one. */
  #convert(value: unknown, name: string): unknown {
    if ((typeof value !== 'object' || value === null) && typeof value !== 'bigint') return value
    const { toJSON } = value as { readonly toJSON?: unknown }
    if (typeof toJSON !== 'function') return value
    // A Buffer would become a table of its bytes, and an invalid date null.
    if (ArrayBuffer.isView(value)) this.#refuseOpaque(tagOf(value))
    const converted: unknown = toJSON.call(value, name)
    if (converted === null && tagOf(value) === 'Date') this.fail('must be a valid date')
    return converted
  }

  #copyArray(array: readonly unknown[]): JsonValue[] {
    const copy: JsonValue[] = []
    for (let index = 0; index < array.length; index++) {
      const member = this.#copyMember(array, index)
      if (member === undefined) this.#count(1)
      copy.push(member ?? null)
    }
    return copy
  }

  #copyObject(object: object): JsonValue {
    const names = Object.keys(object)
    if (!isPlainObject(object)) this.#checkInstance(object, names)
    const copy = Object.create(null) as Record<string, JsonValue>
    for (const name of names) {
      if (!isWellFormed(name)) this.fail('has a name that ' + LONE_SURROGATE)
      const member = this.#copyMember(object, name)
      if (member === undefined) continue
      this.#count(name.length / 2)
      copy[name] = member
    }
    return copy
  }

  #checkInstance(object: object, names: readonly string[]): void {
    const tag = tagOf(object)
    if (OPAQUE.test(tag)) this.#refuseOpaque(tag)
    if (names.length > 0) return
    this.fail('must be a JSON value, got an instance of a class without members of its own; give it a toJSON()')
  }

  #refuseOpaque(tag: string): never {
    const remedy = REMEDIES[tag] ?? 'convert it to plain JSON first'
    return this.fail(`must be a JSON value, got a ${tag}; ${remedy}`)
  }

  #copyMember(parent: object, name: string | number): JsonValue | undefined {
    this.#path.push(name)
    const copy = this.copy((parent as Readonly<Record<string | number, unknown>>)[name], String(name))
    this.#path.pop()
    return copy
  }

  #copyText(text: string): string {
    this.#count(text.length / 2)
    if (!isWellFormed(text)) this.fail(LONE_SURROGATE)
    return text
  }

  #count(characters: number): void {
    this.#characters += characters
    const most = this.#maxCharacters
    if (this.#characters > most) throw tooLong(most, `more than ${grouped(most)}`)
  }

  /** Indices before the first name are the path; what follows is inside, for those only who may see content. */
  fault(reason: string): Fault {
    const path = this.#path.map(String)
    const named = this.#path.findIndex((part) => typeof part === 'string')
    return named < 0 ? new Fault(path, reason) : new Fault(path.slice(0, named), reason, path.slice(named))
  }

  fail(reason: string): never {
    throw this.fault(reason)
  }
}

const REMEDIES: Readonly<Record<string, string>> = {
  Map: 'pass Object.fromEntries(map)',
  Set: 'pass [...set]',
  Promise: 'await it first',
}

/** The built-in kind of an object, whichever realm made it. */
function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1)
}

/** The fault of a text or state over its limit. */
export function tooLong(maxCharacters: number, got: string): Fault {
  return new Fault([], `must be at most ${grouped(maxCharacters)} characters, got ${got}`)
}
