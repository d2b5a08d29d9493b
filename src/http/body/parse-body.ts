import { cutPictures, insertPictures } from './cut-pictures.ts'
import { parseForm } from './parse-form.ts'
import { parseJson, Refused } from './parse-json.ts'
import { parseLines } from './parse-lines.ts'

/** What a body is to be read as; of JSON with `pictures`, large ones become bytes. */
export type BodyKind =
  | { readonly type: 'json' | 'pictures' | 'lines' }
  | { readonly type: 'form'; readonly boundary: string }

/** What came of it: a value, or why there is none. */
export type ParsedBytes = { readonly value: unknown } | { readonly refused: string }

/**
 * Reads the bytes of a body. Nothing in the result quotes them where they are refused.
 *
 * @param bytes Pictures in the value are views of it.
 */
export function parseBody(bytes: Uint8Array<ArrayBuffer>, kind: BodyKind): ParsedBytes {
  try {
    return { value: read(bytes, kind) }
  } catch (error) {
    if (error instanceof Refused) return { refused: error.message }
    throw error
  }
}

function read(bytes: Uint8Array<ArrayBuffer>, kind: BodyKind): unknown {
  if (kind.type === 'form') return parseForm(toBuffer(bytes), kind.boundary)
  return kind.type === 'lines' ? parseLines(bytes) : readJson(bytes, kind.type === 'pictures')
}

function readJson(bytes: Uint8Array<ArrayBuffer>, hasPictures: boolean): unknown {
  if (!hasPictures) return parseJson(bytes)
  const cut = cutPictures(bytes)
  return insertPictures(parseJson(cut.text), cut)
}

function toBuffer({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): Buffer<ArrayBuffer> {
  return Buffer.from(buffer, byteOffset, byteLength)
}
