import type { SafetensorsType } from './weight-index.ts'

const DECODERS: Partial<Record<SafetensorsType, (bytes: Uint8Array) => Float32Array>> = {
  F32: (bytes) => new Float32Array(aligned(bytes)),
  F16: decodeFloat16,
  BF16: decodeBfloat16,
}

export function isFloatType(dtype: SafetensorsType): boolean {
  return dtype in DECODERS
}

/** Little-endian elements of a float type as float32, exactly. */
export function decodeFloats(bytes: Uint8Array, dtype: SafetensorsType): Float32Array {
  const decode = DECODERS[dtype]
  if (decode === undefined) throw new RangeError(`expected F32, F16 or BF16 values, got ${dtype}`)
  return decode(bytes)
}

// Plain loops: `from` with a function would first collect millions of numbers in an ordinary array.

/** bfloat16 is the upper half of a float32. */
function decodeBfloat16(bytes: Uint8Array): Float32Array {
  const halves = new Uint16Array(aligned(bytes))
  const bits = new Uint32Array(halves.length)
  for (let i = 0; i < halves.length; i++) bits[i] = halves[i]! << 16
  return new Float32Array(bits.buffer)
}

function decodeFloat16(bytes: Uint8Array): Float32Array {
  const halves = new Uint16Array(aligned(bytes))
  const values = new Float32Array(halves.length)
  for (let i = 0; i < halves.length; i++) values[i] = halfToNumber(halves[i]!)
  return values
}

/** The value of the bits of a half-precision number. */
export function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 0x1f
  const fraction = bits & 0x3ff
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : Number.NaN
  return sign * (1024 + fraction) * 2 ** (exponent - 25)
}

/** Views of wider elements need a buffer that starts at their first byte. */
function aligned(bytes: Uint8Array): ArrayBuffer {
  return bytes.slice().buffer
}
