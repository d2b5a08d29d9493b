import { ModelFormatError } from '../../errors/index.ts'

/** A value of the metadata. Lists of numbers are typed arrays, so that a vocabulary of scores costs what it has in the file. */
export type GgufValue = number | boolean | string | readonly string[] | Float64Array

/** More entries than any list has: the vocabularies of language models end below 300,000, their merges below 600,000. */
const MOST_ENTRIES = 2 ** 22
/** Longer than any text, of which chat templates are the longest. */
const LONGEST_TEXT = 2 ** 22

const STRING = 8
const ARRAY = 9
/** Bytes of the value types that are numbers, and how they are read. */
const NUMBERS: ReadonlyMap<number, readonly [bytes: number, read: (view: DataView, at: number) => number]> = new Map([
  [0, [1, (view, at) => view.getUint8(at)]],
  [1, [1, (view, at) => view.getInt8(at)]],
  [2, [2, (view, at) => view.getUint16(at, true)]],
  [3, [2, (view, at) => view.getInt16(at, true)]],
  [4, [4, (view, at) => view.getUint32(at, true)]],
  [5, [4, (view, at) => view.getInt32(at, true)]],
  [6, [4, (view, at) => view.getFloat32(at, true)]],
  [7, [1, (view, at) => view.getUint8(at)]],
  [10, [8, (view, at) => Number(view.getBigUint64(at, true))]],
  [11, [8, (view, at) => Number(view.getBigInt64(at, true))]],
  [12, [8, (view, at) => view.getFloat64(at, true)]],
])
const BOOL = 7

/** The bytes at hand end before what is read does. */
export class MoreBytes extends Error {}

/** Reads the parts of a GGUF header one after another from the first bytes of a file. */
export class GgufCursor {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  readonly #file: string
  // A mark of byte order at the start of a token is part of it.
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  at = 0

  constructor(bytes: Uint8Array, file: string) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#file = file
  }

  uint32(): number {
    return this.#view.getUint32(this.#take(4), true)
  }

  /** A count or an offset, at most `most`. */
  uint64(what: string, most: number): number {
    const value = this.#view.getBigUint64(this.#take(8), true)
    if (value <= most) return Number(value)
    throw this.#refuse(`${what} of at most ${most}`, String(value))
  }

  /** @param most bytes */
  text(what: string, most = LONGEST_TEXT): string {
    const length = this.uint64(`a length of ${what}`, most)
    const start = this.#take(length)
    try {
      return this.#utf8.decode(this.#bytes.subarray(start, start + length))
    } catch (cause) {
      throw this.#refuse(`${what} in UTF-8`, 'other bytes', { cause })
    }
  }

  value(key: string): GgufValue {
    const type = this.uint32()
    if (type === STRING) return this.text(key)
    if (type === BOOL) return this.#number(type, key) !== 0
    return type === ARRAY ? this.#list(key) : this.#number(type, key)
  }

  #list(key: string): GgufValue {
    const type = this.uint32()
    const count = this.uint64(`a length of ${key}`, MOST_ENTRIES)
    if (type === STRING) {
      // Each has eight bytes at least, so that a length that lies is noticed before anything is made for it.
      this.#need(8 * count)
      return Array.from({ length: count }, () => this.text(`an entry of ${key}`))
    }
    const [size, read] = this.#numberType(type, key)
    const start = this.#take(size * count)
    return Float64Array.from({ length: count }, (_, i) => read(this.#view, start + i * size))
  }

  #number(type: number, key: string): number {
    const [size, read] = this.#numberType(type, key)
    return read(this.#view, this.#take(size))
  }

  #numberType(type: number, key: string) {
    const found = NUMBERS.get(type)
    if (found !== undefined) return found
    throw this.#refuse(`numbers, texts or a list of either as ${key}`, `value type ${type}`)
  }

  #take(length: number): number {
    this.#need(length)
    const start = this.at
    this.at += length
    return start
  }

  #need(length: number): void {
    if (this.at + length > this.#bytes.length) throw new MoreBytes()
  }

  #refuse(expected: string, got: string, settings?: { cause: unknown }): ModelFormatError {
    return new ModelFormatError(this.#file, expected, got, settings)
  }
}
