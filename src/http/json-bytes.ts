import { endOfString } from './body/cut-pictures.ts'

/** A JSON value as the bytes that are sent: all who read it share them, and nobody writes them again. */
export class JsonBytes {
  readonly bytes: Uint8Array

  protected constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  /** @param bytes of JSON */
  static ofBytes(bytes: Uint8Array): JsonBytes {
    return new JsonBytes(bytes)
  }

  /** @param text of JSON */
  static ofText(text: string): JsonBytes {
    return new JsonBytes(Buffer.from(text))
  }

  static of(value: unknown): JsonBytes {
    return value instanceof JsonBytes ? value : JsonBytes.ofText(JSON.stringify(value))
  }

  get text(): string {
    return Buffer.from(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength).toString()
  }

  /** The value, for stores that write it as a part of their own JSON. */
  toJSON(): unknown {
    return JSON.parse(this.text)
  }
}

/** Bytes of JSON Lines that are made at a time. */
const PIECE_BYTES = 2 ** 16
const LINE_FEED = 0x0a
const QUOTE = 0x22
const COMMA = 0x2c
const OPENING = new Set([0x5b, 0x7b])
const CLOSING = new Set([0x5d, 0x7d])

/** The same of a list, which is JSON Lines, too: what stands before its first value is left out, and each is ended by another byte. */
export class JsonList extends JsonBytes {
  /** Where the values end. */
  readonly #ends: readonly number[]

  private constructor(bytes: Uint8Array, ends: readonly number[]) {
    super(bytes)
    this.#ends = ends
  }

  static ofList(values: readonly unknown[]): JsonList {
    const parts = [Buffer.from('[')]
    const ends: number[] = []
    let end = 0
    for (const value of values) {
      const part = Buffer.from(`${JSON.stringify(value)},`)
      parts.push(part)
      ends.push((end += part.length))
    }
    if (ends.length === 0) parts.push(Buffer.alloc(1))
    const bytes = Buffer.concat(parts)
    bytes.write(']', bytes.length - 1)
    return new JsonList(bytes, ends)
  }

  /** @param list such a list, its bytes, or its values */
  static read(list: unknown): JsonList {
    if (list instanceof JsonList) return list
    return list instanceof JsonBytes
      ? new JsonList(list.bytes, findEnds(list.bytes))
      : JsonList.ofList(list as unknown[])
  }

  /** Bytes of its lines. */
  get linesLength(): number {
    return this.#ends.at(-1) ?? 0
  }

  /** A line for each value, in pieces that are made when they are asked for, so that none takes long and none is kept. */
  *lines(): Generator<Uint8Array> {
    const last = this.linesLength
    let next = 0
    for (let start = 1; start <= last; start += PIECE_BYTES) {
      const piece = new Uint8Array(this.bytes.subarray(start, Math.min(start + PIECE_BYTES, last + 1)))
      for (; next < this.#ends.length && this.#ends[next]! < start + piece.length; next++) {
        piece[this.#ends[next]! - start] = LINE_FEED
      }
      yield piece
    }
  }
}

/** Where the values of a list end which is written without spaces. */
function findEnds(bytes: Uint8Array): number[] {
  const ends: number[] = []
  let depth = 0
  for (let at = 1; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === QUOTE) at = endOfString(bytes, at)
    else if (OPENING.has(byte)) depth++
    else if (depth === 0 && at > 1 && (byte === COMMA || CLOSING.has(byte))) ends.push(at)
    else if (CLOSING.has(byte)) depth--
  }
  return ends
}
