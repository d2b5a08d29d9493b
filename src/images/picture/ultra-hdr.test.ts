import sharp from 'sharp'
import { expect, it } from 'vitest'
import { drawPicture } from '../../../test/helpers/pseudo-random.ts'
import { sharpCodec } from './sharp-codec.ts'

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'
const CONTAINER = 'http://ns.google.com/photos/1.0/container/'
const GAIN_MAP = 'http://ns.adobe.com/hdr-gain-map/1.0/'
/** What the first of two pictures says of the other. */
const DIRECTORY = `xmlns:Container="${CONTAINER}" xmlns:Item="${CONTAINER}item/"><Container:Directory><rdf:Seq>
<rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="Primary" Item:Mime="image/jpeg"/></rdf:li>
<rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="GainMap" Item:Mime="image/jpeg" Item:Length="1"/></rdf:li>
</rdf:Seq></Container:Directory></rdf:Description>`
const RANGE = `hdrgm:GainMapMin="0" hdrgm:GainMapMax="2" hdrgm:Gamma="1" hdrgm:OffsetSDR="0.015625" hdrgm:OffsetHDR="0.015625"
hdrgm:HDRCapacityMin="0" hdrgm:HDRCapacityMax="2" hdrgm:BaseRenditionIsHDR="False"/>`

/** Puts a segment in front of all others. */
function withSegment(jpeg: Buffer, marker: number, ...parts: readonly (string | Buffer)[]): Buffer {
  const data = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(data.length + 2, 2)
  return Buffer.concat([jpeg.subarray(0, 2), head, data, jpeg.subarray(2)])
}

function withXmp(jpeg: Buffer, description: string): Buffer {
  const begin = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="${RDF}"><rdf:Description xmlns:hdrgm="${GAIN_MAP}" hdrgm:Version="1.0" `
  return withSegment(jpeg, 0xe1, 'http://ns.adobe.com/xap/1.0/\0', begin, description, '</rdf:RDF></x:xmpmeta>')
}

/** Puts a picture behind another, and an index of both (CIPA DC-007, Multi-Picture Format) in front. */
function joinPictures(first: Buffer, second: Buffer): Buffer {
  const index = Buffer.alloc(82)
  index.write('MM\0*')
  index.writeUInt32BE(8, 4)
  index.writeUInt16BE(3, 8)
  const entries = [
    [0xb000, 7, 4, Buffer.from('0100').readUInt32BE()],
    [0xb001, 4, 1, 2],
    [0xb002, 7, 32, 50],
  ] as const
  for (const [number, [tag, type, count, value]] of entries.entries()) {
    const at = 10 + 12 * number
    index.writeUInt16BE(tag, at)
    index.writeUInt16BE(type, at + 2)
    index.writeUInt32BE(count, at + 4)
    index.writeUInt32BE(value, at + 8)
  }
  const MARKERS = 8
  const length = first.length + MARKERS + index.length
  index.writeUInt32BE(0x030000, 50)
  index.writeUInt32BE(length, 54)
  index.writeUInt32BE(second.length, 70)
  index.writeUInt32BE(length - MARKERS - 2, 74)
  return Buffer.concat([withSegment(first, 0xe2, 'MPF\0', index), second])
}

it('photos with a gain map are their first picture, and refused where that is damaged', async () => {
  const { data, ...size } = drawPicture('photo', 96, 64, 3)
  const jpeg = await sharp(data, { raw: size }).jpeg().toBuffer()
  const gains = withXmp(await sharp(data, { raw: size }).resize(48, 32).greyscale().jpeg().toBuffer(), RANGE)
  const photo = joinPictures(withXmp(jpeg, DIRECTORY), gains)
  expect((await sharp(photo).metadata()).gainMap).toBeDefined()
  expect(await sharpCodec.decode(photo)).toEqual(await sharpCodec.decode(jpeg))

  const damaged = Buffer.from(photo)
  damaged.set([0xff, 0xd0], photo.length - gains.length - 1000)
  await expect(sharpCodec.decode(damaged)).rejects.toThrow('Corrupt JPEG data')
  await expect(sharpCodec.decodeMask(damaged)).rejects.toThrow('Corrupt JPEG data')
})
