/** A JSON value as the bytes that are sent: all who read it share them, and nobody writes them again. */
export class JsonBytes {
  readonly bytes: Uint8Array

  protected constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  /** @param text of JSON */
  static ofText(text: string): JsonBytes {
    return new JsonBytes(Buffer.from(text))
  }

  static of(value: unknown): JsonBytes {
    return value instanceof JsonBytes ? value : JsonBytes.ofText(JSON.stringify(value))
  }

  /** The value, for stores that write it as a part of their own JSON. */
  toJSON(): unknown {
    return JSON.parse(Buffer.from(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength).toString())
  }
}

/** Bytes of JSON Lines that are made at a time. */
const PIECE_BYTES = 2 ** 16
const LINE_FEED = 0x0a

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
