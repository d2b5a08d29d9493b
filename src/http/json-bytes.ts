/** A JSON value as the bytes that are sent: all who read it share them, and nobody writes them again. */
export class JsonBytes {
  readonly bytes: Uint8Array

  private constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  /** @param text of JSON */
  static ofText(text: string): JsonBytes {
    return new JsonBytes(Buffer.from(text))
  }

  static of(value: unknown): JsonBytes {
    return value instanceof JsonBytes ? value : JsonBytes.ofText(JSON.stringify(value))
  }

  static read(value: unknown): unknown {
    return value instanceof JsonBytes ? value.toJSON() : value
  }

  /** The value, for stores that write it as a part of their own JSON. */
  toJSON(): unknown {
    return JSON.parse(Buffer.from(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength).toString())
  }
}
