import { setTimeout as sleep } from 'node:timers/promises'
import sharp, { type JpegOptions, type PngOptions } from 'sharp'
import { expect, it } from 'vitest'
import { OverloadedError } from '../../errors/index.ts'
import type { PictureCodec } from '../../images/picture/picture-codec.ts'
import { sparingMemory } from './spare-memory.ts'

const MILLION = 1e6
const decoded = { width: 1, height: 1, channels: 3, data: new Uint8Array(3) } as const
const codec: PictureCodec = {
  decode: async () => decoded,
  decodeMask: async () => decoded,
  encode: async () => new Uint8Array(),
}

function withLeft(...left: number[]) {
  const collected: number[] = []
  const memory = { measure: async () => left[0]!, collect: async () => void collected.push(left.shift()!) }
  return { collected, ...sparingMemory(codec, memory) }
}

const picture = (side: number) => sharp({ create: { width: side, height: side, channels: 3, background: '#a05050' } })
const webp = await picture(7000).webp({ lossless: true, effort: 0 }).toBuffer()

it('a file of a few bytes whose picture there is no memory for is refused', async () => {
  expect(webp.length).toBeLessThan(100)
  for (const read of ['decode', 'decodeMask'] as const) {
    const reading = withLeft(500 * MILLION, 500 * MILLION)[read](webp)
    await expect(reading).rejects.toThrow(OverloadedError)
    await expect(reading).rejects.toThrow(
      'takes about 588 MB of memory to decode, more than is left here; send a smaller one',
    )
  }
})

it('such a file is decoded where there is memory, or where what nobody uses any more makes room for it', async () => {
  const roomy = withLeft(600 * MILLION)
  expect(await roomy.decode(webp)).toBe(decoded)
  expect(roomy.collected).toEqual([])
  const collecting = withLeft(500 * MILLION, 600 * MILLION)
  expect(await collecting.decode(webp)).toBe(decoded)
  expect(collecting.collected).toEqual([500 * MILLION])
})

it('what kind of file it is counts', async () => {
  const left = 30 * MILLION * 8
  const png = (options: PngOptions) =>
    picture(5500)
      .png({ compressionLevel: 1, ...options })
      .toBuffer()
  const jpeg = (options: JpegOptions) => picture(5500).jpeg(options).toBuffer()
  const light = [await png({}), await jpeg({})]
  const heavy = [await png({ progressive: true }), await jpeg({ progressive: true })]
  for (const file of light) expect(await withLeft(left, left).decode(file)).toBe(decoded)
  for (const file of heavy) await expect(withLeft(left, left).decode(file)).rejects.toThrow(OverloadedError)
})

it('small pictures are decoded without asking, and damaged files told of by whoever decodes them', async () => {
  expect(await withLeft(0, 0).decode(await picture(1500).webp({ lossless: true, effort: 0 }).toBuffer())).toBe(decoded)
  expect(await withLeft(0, 0).decode(new Uint8Array(9))).toBe(decoded)
})

it('pictures of requests that come together are decoded one after another, as none may count on what another takes', async () => {
  let underway = 0
  let left = 800 * MILLION
  const taking: PictureCodec = {
    ...codec,
    decode: async () => {
      expect(++underway).toBe(1)
      left -= 150 * MILLION
      await sleep(1)
      underway--
      return decoded
    },
  }
  // Of two models of one thread.
  const codecs = [1, 2].map(() => sparingMemory(taking, { measure: async () => left, collect: async () => {} }))
  const readings = await Promise.allSettled([...codecs, ...codecs].map((sparing) => sparing.decode(webp)))
  expect(readings.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected'])
  left = 800 * MILLION
  expect(await codecs[0]!.decode(webp)).toBe(decoded)
})
