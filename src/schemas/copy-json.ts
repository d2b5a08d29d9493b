import { isWellFormed } from './characters.ts'
import { Fault, isPlainObject, kindOf, grouped } from './fault.ts'
import type { JsonValue } from './json-types.ts'
import { LIMITS } from './limits.ts'

/** Reason of every fault about a surrogate without its other half. */
export const LONE_SURROGATE = 'holds a lone surrogate (half of a UTF-16 pair), which is not Unicode text'

/**
 * Copies a value that came from JSON, or that JSON could write, and refuses everything else with a `Fault`. Objects of
 * the copy have no prototype, so `__proto__` and `constructor` are names like any other. Reads each property once, so
 * what is checked is what is used, whatever getters or proxies the caller passes.
 *
 * @param maxCharacters The walk ends once the compact JSON must be longer than this. That bounds the time spent on
 *   values that share or repeat objects; the exact length is for the caller to check.
 */
export function copyJson(value: unknown, maxCharacters: number): JsonValue {
  const walk = new JsonCopy(maxCharacters)
  try {
    return walk.copy(value)
  } catch (error) {
    if (error instanceof Fault) throw error
    throw walk.fault('could not be read: a getter or a proxy threw')
  }
}

class JsonCopy {
  /** Of the value that is looked at, names as well as indices. */
  private readonly path: (string | number)[] = []
  private readonly maxCharacters: number
  /** Lower bound of the length of the compact JSON so far. */
  private characters = 0

  constructor(maxCharacters: number) {
    this.maxCharacters = maxCharacters
  }

  copy(value: unknown): JsonValue {
    this.count(1)
    if (value === null || typeof value === 'boolean') return value
    if (typeof value === 'string') return this.copyText(value)
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) this.fail(`must be a finite number, got ${value}`)
      return value
    }
    if (this.path.length >= LIMITS.jsonDepth) {
      throw new Fault([], `must not nest deeper than ${grouped(LIMITS.jsonDepth)} levels, nor contain itself`)
    }
    if (Array.isArray(value)) return this.copyArray(value)
    if (isPlainObject(value)) return this.copyObject(value)
    return this.fail(`must be a JSON value, got ${kindOf(value)}`)
  }

  private copyArray(array: readonly unknown[]): JsonValue[] {
    const copy: JsonValue[] = []
    for (let index = 0; index < array.length; index++) copy.push(this.copyMember(array, index))
    return copy
  }

  private copyObject(object: Readonly<Record<string, unknown>>): JsonValue {
    const copy = Object.create(null) as Record<string, JsonValue>
    for (const name of Object.keys(object)) {
      if (!isWellFormed(name)) this.fail('has a name that ' + LONE_SURROGATE)
      this.count(name.length / 2)
      copy[name] = this.copyMember(object, name)
    }
    return copy
  }

  private copyMember(parent: object, name: string | number): JsonValue {
    this.path.push(name)
    const copy = this.copy((parent as Readonly<Record<string | number, unknown>>)[name])
    this.path.pop()
    return copy
  }

  private copyText(text: string): string {
    this.count(text.length / 2)
    if (!isWellFormed(text)) this.fail(LONE_SURROGATE)
    return text
  }

  private count(characters: number): void {
    this.characters += characters
    const { maxCharacters } = this
    if (this.characters > maxCharacters) throw tooLong(maxCharacters, `more than ${grouped(maxCharacters)}`)
  }

  /** Says where up to the first name, then how deep only: names of members are as much the caller's text as what they hold. */
  fault(reason: string): Fault {
    const { path } = this
    const named = path.findIndex((part) => typeof part === 'string')
    if (named < 0) return new Fault(path.map(String), reason)
    const below = path.length - named
    return new Fault(
      path.slice(0, named).map(String),
      `${reason}; ${below === 1 ? 'one level' : `${grouped(below)} levels`} below`,
    )
  }

  private fail(reason: string): never {
    throw this.fault(reason)
  }
}

/** The fault of a text or state over its limit. */
export function tooLong(maxCharacters: number, got: string): Fault {
  return new Fault([], `must be at most ${grouped(maxCharacters)} characters, got ${got}`)
}
