import { endOfString } from './cut-pictures.ts'

/** More than any request has that a model can read; each costs time wherever the value goes. */
const MAX_VALUES = 500_000
/** The same of members of objects, each of which takes the thread that answers as long as ten items of a list. */
const MAX_MEMBERS = 50_000
/** A state may have 1,000 levels, and is checked for that where its path is known. */
const MAX_DEPTH = 1500
export const TOO_DEEP = `must be nested at most ${MAX_DEPTH.toLocaleString('en')} levels deep`

/** Why a body is not read. Its message quotes nothing of it. */
export class Refused extends Error {}

/** @throws Refused */
export function refuse(reason: string): never {
  throw new Refused(reason)
}

/** @throws Refused */
export function parseJson(bytes: Uint8Array): unknown {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    refuse('must be UTF-8 text')
  }
  if (text === '') refuse('must be JSON, got an empty body')
  try {
    return JSON.parse(text)
  } catch {
    // Without its cause: the message of a SyntaxError quotes the body.
    refuse('must be valid JSON')
  }
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPENING = new Set([0x5b, 0x7b])
const CLOSING = new Set([0x5d, 0x7d])

interface Shape {
  /** Values that were counted before it was refused. */
  readonly values: number
  readonly members: number
  /** Why it is not to be read. */
  readonly refused?: string
}

/**
 * Counts the values of JSON and the members of its objects, and refuses what has too many, or is nested too deeply: what is
 * small as text can be large as a value.
 */
export function measureShape(bytes: Uint8Array): Shape {
  let values = 1
  let members = 0
  let depth = 0
  const refused = (reason: string) => ({ values, members, refused: reason })
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === QUOTE) at = endOfString(bytes, at)
    else if (byte === COMMA) values++
    else if (byte === COLON) members++
    else if (OPENING.has(byte)) {
      values++
      if (++depth > MAX_DEPTH) return refused(TOO_DEEP)
    } else if (CLOSING.has(byte)) depth--
    if (values > MAX_VALUES) return refused(tooMany(MAX_VALUES, 'values'))
    if (members > MAX_MEMBERS) return refused(tooMany(MAX_MEMBERS, 'members of objects'))
  }
  return { values, members }
}

export function tooMany(most: number, what: string): string {
  return `must have at most ${most.toLocaleString('en')} ${what}`
}

/** Whether a value, which may have pictures as bytes, has more levels than a large body may have. */
export function isTooDeep(value: unknown, levels = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return false
  return levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1))
}
