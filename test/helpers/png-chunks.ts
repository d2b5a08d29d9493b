import { crc32, deflateSync } from 'node:zlib'

const SIGNATURE = 8
const LENGTH_TAG_CRC = 12

export interface PngChunk {
  readonly tag: string
  readonly data: Uint8Array
}

/** The chunks of a PNG file, in order. */
export function readPngChunks(file: Buffer): PngChunk[] {
  const chunks: PngChunk[] = []
  for (let at = SIGNATURE; at < file.length;) {
    const length = file.readUInt32BE(at)
    chunks.push({ tag: file.toString('latin1', at + 4, at + 8), data: file.subarray(at + 8, at + 8 + length) })
    at += LENGTH_TAG_CRC + length
  }
  return chunks
}

/** A PNG file of chunks, whose checksums are right whatever they say. */
export function writePng(chunks: readonly PngChunk[]): Buffer {
  const parts = chunks.map(({ tag, data }) => {
    const chunk = Buffer.alloc(LENGTH_TAG_CRC + data.length)
    chunk.writeUInt32BE(data.length, 0)
    chunk.write(tag, 4, 'latin1')
    chunk.set(data, 8)
    chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length)
    return chunk
  })
  return Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), ...parts])
}

/** The header of a PNG with 8 bits in three channels. */
export function pngHeader(width: number, height: number): PngChunk {
  const data = Buffer.alloc(13)
  data.writeUInt32BE(width, 0)
  data.writeUInt32BE(height, 4)
  data.set([8, 2], 8)
  return { tag: 'IHDR', data }
}

/** A chunk with a keyword before many compressed zeros: a few kilobytes that want to become megabytes. */
export function zipBomb(tag: 'zTXt' | 'iCCP', megabytes: number): PngChunk {
  return { tag, data: Buffer.concat([Buffer.from('bomb\0\0'), deflateSync(Buffer.alloc(megabytes * 1e6))]) }
}
