import { ModelFormatError } from '../../errors/index.ts'
import type { GgufValue } from './gguf-cursor.ts'
import type { GgufFile } from './gguf-file.ts'

/** Reads values of a GGUF file's metadata by key. Each is checked to be what it is read as. */
export class GgufMetadata {
  readonly #gguf: GgufFile
  /** Before every key. */
  readonly #prefix: string

  constructor(gguf: GgufFile, prefix = '') {
    this.#gguf = gguf
    this.#prefix = prefix
  }

  /** Keys with the prefix, without it. */
  get keys(): string[] {
    const keys = [...this.#gguf.metadata.keys()].filter((key) => key.startsWith(this.#prefix))
    return keys.map((key) => key.slice(this.#prefix.length))
  }

  number(key: string): number {
    return this.optionalNumber(key) ?? this.refuse(key, 'a number', 'none')
  }

  optionalNumber(key: string): number | undefined {
    return this.#read(key, 'a number', (value) => typeof value === 'number')
  }

  optionalFlag(key: string): boolean | undefined {
    return this.#read(key, 'true or false', (value) => typeof value === 'boolean')
  }

  text(key: string): string {
    return this.optionalText(key) ?? this.refuse(key, 'a text', 'none')
  }

  optionalText(key: string): string | undefined {
    return this.#read(key, 'a text', (value) => typeof value === 'string')
  }

  texts(key: string): readonly string[] {
    return this.#read(key, 'texts', (value) => isTexts(value)) ?? this.refuse(key, 'texts', 'none')
  }

  numbers(key: string): Float64Array {
    return this.#read(key, 'numbers', (value) => value instanceof Float64Array) ?? this.refuse(key, 'numbers', 'none')
  }

  /** @throws ModelFormatError naming the key */
  refuse(key: string, expected: string, got: string): never {
    throw new ModelFormatError(this.#gguf.path, `${expected} as ${this.#prefix}${key}`, got)
  }

  #read<Kind extends GgufValue>(
    key: string,
    expected: string,
    is: (value: GgufValue) => value is Kind,
  ): Kind | undefined {
    const value = this.#gguf.metadata.get(`${this.#prefix}${key}`)
    if (value === undefined || is(value)) return value
    this.refuse(key, expected, typeof value === 'object' ? 'a list' : JSON.stringify(value).slice(0, 100))
  }
}

function isTexts(value: GgufValue): value is readonly string[] {
  return Array.isArray(value)
}
