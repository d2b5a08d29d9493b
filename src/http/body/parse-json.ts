import { endOfString } from './cut-pictures.ts'

/** More than any request has that a model can read; each costs time wherever the value goes. */
const MAX_VALUES = 500_000
/** A state may have 1,000 levels, and is checked for that where its path is known. */
const MAX_DEPTH = 1500

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
const OPENING = new Set([0x5b, 0x7b])
const CLOSING = new Set([0x5d, 0x7d])

interface Shape {
  /** Values that were counted before it was refused. */
  readonly values: number
  /** Why it is not to be read. */
  readonly refused?: string
}

/** Counts the values of JSON, and refuses what has too many, or is nested too deeply: what is small as text can be large as a value. */
export function measureShape(bytes: Uint8Array): Shape {
  let values = 1
  let depth = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === QUOTE) at = endOfString(bytes, at)
    else if (byte === COMMA) values++
    else if (OPENING.has(byte)) {
      values++
      if (++depth > MAX_DEPTH) {
        return { values, refused: `must be nested at most ${MAX_DEPTH.toLocaleString('en')} levels deep` }
      }
    } else if (CLOSING.has(byte)) depth--
    if (values > MAX_VALUES) return { values, refused: `must have at most ${MAX_VALUES.toLocaleString('en')} values` }
  }
  return { values }
}
