/** From where on a file is looked at, what stands there, and what the file is then. */
const SIGNATURES: readonly (readonly [at: number, text: RegExp, name: string])[] = [
  [0, /^\x89PNG/, 'a PNG file whose header is damaged or incomplete'],
  [0, /^\xff\xd8/, 'a JPEG file whose header is damaged or incomplete'],
  [8, /^WEBP/, 'a WebP file whose header is damaged or incomplete'],
  [0, /^GIF8/, 'a GIF file'],
  [0, /^(II\*|MM.\*)/, 'a TIFF file'],
  [0, /^BM/, 'a BMP file'],
  [4, /^ftyp(avif|avis)/, 'an AVIF file'],
  [4, /^ftyp(hei|hev|mif1|msf1)/, 'a HEIC file'],
  [4, /^JXL /, 'a JPEG XL file'],
  [0, /^%PDF/, 'a PDF file'],
  [0, /^\s*<(!doctype html|html)/i, 'a web page'],
  [0, /^\s*<(\?xml|svg)/i, 'an SVG or XML file'],
]
const LONGEST = 40

/** What a file is that no header was read of, as far as its beginning tells. */
export function nameFormat(file: Uint8Array): string {
  const beginning = String.fromCharCode(...file.subarray(0, LONGEST))
  const signature = SIGNATURES.find(([at, text]) => text.test(beginning.slice(at)))
  return signature?.[2] ?? `${file.length} bytes of something else`
}
