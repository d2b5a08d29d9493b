import { randomUUID } from 'node:crypto'
import { decodeBase64 } from '../../schemas/base64.ts'

/** Shorter strings are read as they are. */
const SHORTEST = 65_536

/** Decoded at once; a multiple of the four characters that stand for three bytes. */
const CHUNK = 65_536

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const EQUALS = 0x3d
const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d])

const LIST = 'images'
const SINGLE = ['image', 'mask'] as const
const SINGLES = new Set<string>(SINGLE)
/** An object whose member `image` is a picture. */
const HOLDER = 'control'
const HELD = 'image'
/** Of a name, enough to tell it from these. */
const LONGEST_NAME = HOLDER.length + 1

const DATA_URL = /^data:[^,"\\]*;\s*base64\s*,/i
const LONGEST_HEAD = 1000
const BASE64 = /^[A-Za-z0-9+/]*$/

interface Cut {
  /** The JSON text, in which a name stands for each picture. */
  readonly text: Uint8Array
  readonly pictures: ReadonlyMap<string, Uint8Array>
}

/**
 * Takes the large pictures out of the JSON of a request for pictures: what `image`, `mask`, the items of `images` and `image`
 * of `control` hold in base64 is decoded where it stands, so that nothing is copied and no text is made of it.
 *
 * @param bytes Overwritten where a picture is; the pictures are views of it.
 */
export function cutPictures(bytes: Uint8Array<ArrayBuffer>): Cut {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const pictures = new Map<string, Uint8Array>()
  const pieces: Uint8Array[] = []
  // Nobody who wrote the body can have known it.
  const secret = randomUUID()
  let kept = 0
  for (const { start, end } of findSources(buffer)) {
    const picture = decodeInPlace(buffer, start, end)
    if (picture === undefined) continue
    const name = `${secret}-${pictures.size}`
    pictures.set(name, picture)
    pieces.push(buffer.subarray(kept, start), Buffer.from(name))
    kept = end
  }
  return { text: pieces.length === 0 ? buffer : Buffer.concat([...pieces, buffer.subarray(kept)]), pictures }
}

/** Puts the pictures into the value that was read from the text. */
export function insertPictures(value: unknown, { pictures }: Pick<Cut, 'pictures'>): unknown {
  if (typeof value !== 'object' || value === null) return value
  const body = value as Record<string, unknown>
  const insert = (source: unknown) => (typeof source === 'string' ? (pictures.get(source) ?? shorten(source)) : source)
  for (const name of SINGLE) if (Object.hasOwn(body, name)) body[name] = insert(body[name])
  if (Array.isArray(body[LIST])) body[LIST] = body[LIST].map(insert)
  const holder = body[HOLDER] as Record<string, unknown> | null | undefined
  if (typeof holder === 'object' && holder !== null && Object.hasOwn(holder, HELD)) holder[HELD] = insert(holder[HELD])
  return body
}

/**
 * A long text that was not cut is base64 with blanks or escapes, or none at all. Of the latter only as much is sent on as
 * the reader of sources needs to say why it is refused, and a sign by which it is.
 */
function shorten(text: string): string | Uint8Array {
  if (text.length < SHORTEST) return text
  const head = text.slice(0, LONGEST_HEAD)
  return decodeBase64(text.slice(DATA_URL.exec(head)?.[0].length ?? 0)) ?? `${head}!`
}

/** Where the long strings of the members with pictures are, without their quotes. Text that is no JSON gives anything. */
function* findSources(bytes: Buffer): Generator<{ readonly start: number; readonly end: number }, void> {
  let depth = 0
  /** Of the last member of the whole value, and of the last one of the object that it is. */
  let name = ''
  let inner = ''
  /** Whether what is open below that member is a list. */
  let isList = false
  const isSource = () => {
    if (depth === 1) return SINGLES.has(name)
    return depth === 2 && (isList ? name === LIST : name === HOLDER && inner === HELD)
  }
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === 0x7b || byte === 0x5b) {
      depth++
      if (depth === 2) isList = byte === 0x5b
    } else if (byte === 0x7d || byte === 0x5d) depth--
    else if (byte === QUOTE) {
      const start = at + 1
      at = endOfString(bytes, at)
      if (depth <= 2 && isName(bytes, at)) {
        const text = bytes.toString('latin1', start, Math.min(at, start + LONGEST_NAME))
        if (depth === 1) name = text
        else inner = text
      } else if (at - start >= SHORTEST && isSource()) yield { start, end: at }
    }
  }
}

/** Whether the string that ends here is followed by the value that it names. */
function isName(bytes: Buffer, quote: number): boolean {
  let at = quote + 1
  while (SPACES.has(bytes[at]!)) at++
  return bytes[at] === COLON
}

/** Index of the quote that ends a string; the length of the text where none does. */
export function endOfString(bytes: Uint8Array, start: number): number {
  for (let end = bytes.indexOf(QUOTE, start + 1); end >= 0; end = bytes.indexOf(QUOTE, end + 1)) {
    let before = end
    while (bytes[before - 1] === BACKSLASH) before--
    if ((end - before) % 2 === 0) return end
  }
  return bytes.length
}

/** What a string in base64, or a data URL of such, stands for; undefined, and nothing changed, for any other. */
function decodeInPlace(bytes: Buffer, first: number, end: number): Uint8Array | undefined {
  const head = DATA_URL.exec(bytes.toString('latin1', first, Math.min(end, first + LONGEST_HEAD)))?.[0] ?? ''
  const start = first + head.length
  let last = end
  // As `atob` has it: padding counts only where it completes a group.
  if ((end - start) % 4 === 0) for (let pads = 0; pads < 2 && bytes[last - 1] === EQUALS; pads++) last--
  if ((last - start) % 4 === 1) return undefined
  const chunkAt = (from: number) => bytes.toString('latin1', from, Math.min(from + CHUNK, last))
  for (let from = start; from < last; from += CHUNK) if (!BASE64.test(chunkAt(from))) return undefined
  let to = start
  for (let from = start; from < last; from += CHUNK) to += bytes.write(chunkAt(from), to, 'base64')
  return new Uint8Array(bytes.buffer, bytes.byteOffset + start, to - start)
}
