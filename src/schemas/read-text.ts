import { countCharacters, isWellFormed } from './characters.ts'
import { copyJson, LONE_SURROGATE, tooLong } from './copy-json.ts'
import { Fault, kindOf, grouped } from './fault.ts'
import type { JsonSchema } from './json-schema.ts'
import type { JsonArray, JsonObject } from './json-types.ts'
import { LIMITS } from './limits.ts'

/** What the questions are about. Objects and arrays are read as JSON. */
export type State = string | JsonObject | JsonArray

/** Instructions, the meaning of an option, a side of a noul. `null` says nothing. */
export type Text = string | JsonObject | JsonArray | null

/** Said of records and lists, since generated clients take an object that says nothing to have no members, or refuse an array. */
const ANY_MEMBERS = { additionalProperties: {}, items: {} }

/** JSON Schema of a record or a list. */
export const RECORD_JSON: JsonSchema = { type: ['object', 'array'], ...ANY_MEMBERS }

/** JSON Schema of a text. */
export const TEXT_JSON: JsonSchema = { type: ['string', 'object', 'array', 'null'], ...ANY_MEMBERS }

/** JSON Schema of a text that must be there, as the state must. */
export const LEVEL_JSON: JsonSchema = { type: ['string', 'object', 'array'], ...ANY_MEMBERS }

/** Checks and copies a state, or throws a `Fault`. */
export function readState(value: unknown): State {
  if (value === undefined) throw new Fault([], 'is required: a string, an object or an array')
  return readContent(value, LIMITS.stateCharacters, 'a string, an object or an array')
}

/** Checks and copies a text, or throws a `Fault`. */
export function readText(value: unknown): Text {
  if (value === null) return null
  return readContent(value, LIMITS.textCharacters, 'a string, an object, an array or null')
}

/** As `readText`, where `null` is not allowed: the level of a score must be described. */
export function readLevel(value: unknown): Exclude<Text, null> {
  return readContent(value, LIMITS.textCharacters, 'a string, an object or an array')
}

/** True when the text holds anything that a model could read. */
export function saysSomething(text: Text | undefined): boolean {
  if (text === null || text === undefined) return false
  return typeof text === 'string' ? text.trim() !== '' : Object.keys(text).length > 0
}

function readContent(value: unknown, maxCharacters: number, expected: string): string | JsonObject | JsonArray {
  if (typeof value === 'string') return readString(value, maxCharacters)
  if (typeof value !== 'object' || value === null) throw new Fault([], `must be ${expected}, got ${kindOf(value)}`)
  const copy = copyJson(value, maxCharacters)
  if (typeof copy === 'string') return readString(copy, maxCharacters)
  // What toJSON made of it.
  if (typeof copy !== 'object' || copy === null) throw new Fault([], `must be ${expected}, got ${kindOf(copy)}`)
  checkLength(JSON.stringify(copy), maxCharacters)
  return copy
}

/** Checks a string for length and for well-formedness. */
export function readString(text: string, maxCharacters: number): string {
  checkLength(text, maxCharacters)
  if (!isWellFormed(text)) throw new Fault([], LONE_SURROGATE)
  return text
}

function checkLength(text: string, maxCharacters: number): void {
  // A code point is one or two units: most texts are short enough to need no count.
  if (text.length <= maxCharacters) return
  const count = countCharacters(text)
  if (count > maxCharacters) throw tooLong(maxCharacters, grouped(count))
}
