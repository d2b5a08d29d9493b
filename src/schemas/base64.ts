const ALPHABET = new TextEncoder().encode('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')
const PADDING = 61

/** Undefined for what is no base64. White space and missing padding are forgiven, as by `atob`. */
export function decodeBase64(text: string): Uint8Array | undefined {
  let binary: string
  try {
    binary = atob(text)
  } catch {
    return undefined
  }
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i)
  return bytes
}

/** By hand: `btoa` wants a string of the bytes first, which takes ten times as long. */
export function encodeBase64(bytes: Uint8Array): string {
  const text = new Uint8Array(4 * Math.ceil(bytes.length / 3)).fill(PADDING)
  for (let from = 0, to = 0; from < bytes.length; from += 3, to += 4) {
    const group = (bytes[from]! << 16) | ((bytes[from + 1] ?? 0) << 8) | (bytes[from + 2] ?? 0)
    text[to] = ALPHABET[group >>> 18]!
    text[to + 1] = ALPHABET[(group >>> 12) & 63]!
    if (from + 1 < bytes.length) text[to + 2] = ALPHABET[(group >>> 6) & 63]!
    if (from + 2 < bytes.length) text[to + 3] = ALPHABET[group & 63]!
  }
  return new TextDecoder().decode(text)
}
