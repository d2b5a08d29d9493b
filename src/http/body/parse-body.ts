import { cutPictures, endOfString, insertPictures } from './cut-pictures.ts'
import { parseForm } from './parse-form.ts'

/** What a body is to be read as; of an `edit`, large pictures become bytes. */
export type BodyKind = { readonly type: 'json' | 'edit' } | { readonly type: 'form'; readonly boundary: string }

/** What came of it: a value, or why there is none. */
export type ParsedBytes = { readonly value: unknown } | { readonly refused: string }

/** Far more than a request has fields and pictures. A body of a million empty parts would keep a thread busy. */
const MAX_PARTS = 64

/** More than any request has that a model can read; each costs time wherever the value goes. */
const MAX_VALUES = 500_000
/** A state may have 1,000 levels, and is checked for that where its path is known. */
const MAX_DEPTH = 1500

/**
 * Reads the bytes of a body. Nothing in the result quotes them where they are refused.
 *
 * @param bytes Pictures in the value are views of it.
 */
export function parseBody(bytes: Uint8Array<ArrayBuffer>, kind: BodyKind): ParsedBytes {
  try {
    return { value: kind.type === 'form' ? readForm(bytes, kind.boundary) : readJson(bytes, kind.type === 'edit') }
  } catch (error) {
    if (error instanceof Refused) return { refused: error.message }
    throw error
  }
}

class Refused extends Error {}

function refuse(reason: string): never {
  throw new Refused(reason)
}

function readForm(bytes: Uint8Array<ArrayBuffer>, boundary: string) {
  return parseForm(toBuffer(bytes), boundary, MAX_PARTS, refuse)
}

function readJson(bytes: Uint8Array<ArrayBuffer>, isEdit: boolean): unknown {
  if (!isEdit) return parseJson(bytes)
  const cut = cutPictures(bytes)
  return insertPictures(parseJson(cut.text), cut)
}

function parseJson(bytes: Uint8Array): unknown {
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

function toBuffer({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): Buffer<ArrayBuffer> {
  return Buffer.from(buffer, byteOffset, byteLength)
}

const QUOTE = 0x22
const COMMA = 0x2c
const OPENING = new Set([0x5b, 0x7b])
const CLOSING = new Set([0x5d, 0x7d])

/**
 * Says why JSON of so many values, or nested so deeply, is not read: what is small as text can be large as a value.
 *
 * @returns undefined where it is read
 */
export function refuseShape(bytes: Uint8Array): string | undefined {
  let values = 1
  let depth = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === QUOTE) at = endOfString(bytes, at)
    else if (byte === COMMA) values++
    else if (OPENING.has(byte)) {
      values++
      if (++depth > MAX_DEPTH) return `must be nested at most ${MAX_DEPTH.toLocaleString('en')} levels deep`
    } else if (CLOSING.has(byte)) depth--
    if (values > MAX_VALUES) return `must have at most ${MAX_VALUES.toLocaleString('en')} values`
  }
  return undefined
}
