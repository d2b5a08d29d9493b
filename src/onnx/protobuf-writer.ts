/**
 * The part of the protobuf wire format that an ONNX model needs: varints, 32-bit floats and length-delimited fields.
 * See https://protobuf.dev/programming-guides/encoding.
 */
export class ProtobufWriter {
  readonly #parts: Uint8Array[] = []
  #scratch = new Uint8Array(256)
  #used = 0
  #flushed = 0

  /** `int32`, `int64` and enum fields. Negative numbers take ten bytes, as the format asks. */
  integer(field: number, value: number | bigint): this {
    this.#tag(field, 0)
    return this.#varint(BigInt.asUintN(64, BigInt(value)))
  }

  float(field: number, value: number): this {
    this.#tag(field, 5)
    const bytes = new Uint8Array(4)
    new DataView(bytes.buffer).setFloat32(0, value, true)
    for (const byte of bytes) this.#byte(byte)
    return this
  }

  string(field: number, value: string): this {
    return this.bytes(field, new TextEncoder().encode(value))
  }

  /** The bytes are not copied until `finish`. */
  bytes(field: number, value: Uint8Array): this {
    this.#tag(field, 2)
    this.#varint(BigInt(value.length))
    this.#flush()
    this.#parts.push(value)
    this.#flushed += value.length
    return this
  }

  message(field: number, value: ProtobufWriter): this {
    this.#tag(field, 2)
    this.#varint(BigInt(value.length))
    this.#flush()
    value.#flush()
    for (const part of value.#parts) this.#parts.push(part)
    this.#flushed += value.length
    return this
  }

  get length(): number {
    return this.#flushed + this.#used
  }

  finish(): Uint8Array {
    const result = new Uint8Array(this.length)
    this.#flush()
    let at = 0
    for (const part of this.#parts) {
      result.set(part, at)
      at += part.length
    }
    return result
  }

  #tag(field: number, wireType: number): void {
    this.#varint(BigInt((field << 3) | wireType))
  }

  #varint(value: bigint): this {
    while (value > 0x7fn) {
      this.#byte(Number(value & 0x7fn) | 0x80)
      value >>= 7n
    }
    this.#byte(Number(value))
    return this
  }

  #byte(byte: number): void {
    if (this.#used === this.#scratch.length) this.#flush()
    this.#scratch[this.#used++] = byte
  }

  #flush(): void {
    if (this.#used === 0) return
    this.#parts.push(this.#scratch.slice(0, this.#used))
    this.#flushed += this.#used
    this.#used = 0
  }
}
