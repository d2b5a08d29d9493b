/** 32-bit values of mulberry32, seeded with the FNV-1a hash of a name; as in generate-image-fixtures.py. */
function drawBits(name: string, count: number): Uint32Array {
  let state = 2166136261
  for (const byte of new TextEncoder().encode(name)) state = Math.imul(state ^ byte, 16777619)
  const bits = new Uint32Array(count)
  for (let i = 0; i < count; i++) {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t
    bits[i] = t ^ (t >>> 14)
  }
  return bits
}

/** Values that are uniform in mean ± spread. */
export function drawFloats(name: string, count: number, mean: number, spread: number): Float32Array {
  const bits = drawBits(name, count)
  const values = new Float32Array(count)
  for (let i = 0; i < count; i++) values[i] = mean + spread * (bits[i]! / 2 ** 31 - 1)
  return values
}

/** A picture of random pixels. */
export function drawPicture<Channels extends 3 | 4>(name: string, width: number, height: number, channels: Channels) {
  const bits = drawBits(name, width * height * channels)
  const data = new Uint8Array(bits.length)
  for (let i = 0; i < data.length; i++) data[i] = bits[i]! >>> 24
  return { width, height, channels, data }
}
