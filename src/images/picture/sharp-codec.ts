import sharp, { type Sharp } from 'sharp'
import { firstPicture, repairJpeg } from './jpeg-segments.ts'
import type { PictureCodec } from './picture-codec.ts'
import type { PixelImage } from './pixel-image.ts'
import { MAX_SOURCE_PIXELS } from './read-sources.ts'

/** Has no alpha, so that nothing is left to see through. */
const WHITE = '#ffffff'

const GREY = new Set(['b-w', 'grey16'])

/**
 * Chosen by measurement with one thread. A photo of 1024x1024 takes 106 ms and 1.5 MB like this; sharp's own setting
 * (level 6, no filters) 60 ms and 2.7 MB, level 9 with filters 1034 ms and 1.4 MB. A drawing of 1024x1024 with slight
 * noise takes 63 ms and 1.0 MB, in place of 108 ms and 1.0 MB, or 1851 ms and 0.96 MB.
 */
const PNG = { compressionLevel: 3, adaptiveFiltering: true, palette: false } as const

/**
 * What libjpeg says of files that are whole: phones write a wrong end of the spectrum into sequential JPEGs, cameras bytes before
 * a marker, programs a version of JFIF or a transform of Adobe's that there is not. Every other program shows them. Damage behind
 * such a warning is found once they are repaired, as decoding ends with the first warning.
 */
const HARMLESS =
  /Invalid SOS parameters for sequential JPEG|extraneous bytes before marker|unknown JFIF revision number|Unknown Adobe color transform/

// libvips keeps the results of its last operations, so that pictures of requests would outlive them. This is a setting
// of the process; sharp has none for a single picture.
sharp.cache(false)

/** Pictures through libvips. */
export const sharpCodec: PictureCodec = {
  decode: (file) => decodeWhole(file, (picture) => picture.flatten({ background: WHITE }), 3),
  decodeMask: (file) => decodeWhole(file, (picture) => picture.ensureAlpha(), 4),
  async encode({ width, height, channels, data }) {
    return sharp(data, { raw: { width, height, channels } }).png(PNG).toBuffer()
  },
}

/**
 * Warnings tell of damage that libjpeg decodes to noise, so that they refuse a file, unless they are harmless. It names one at a time.
 *
 * @param repairs how often a copy without what it named is tried
 */
async function decodeWhole(
  file: Uint8Array,
  settleAlpha: (picture: Sharp) => Sharp,
  channels: 3 | 4,
  repairs = 2,
): Promise<PixelImage> {
  try {
    return await decodeWith(file, settleAlpha, channels)
  } catch (error) {
    if (repairs === 0 || !(error instanceof Error && HARMLESS.test(error.message))) throw error
    const isFilled = error.message.includes('extraneous bytes before marker 0xd9')
    return decodeWhole(repairJpeg(file, isFilled), settleAlpha, channels, repairs - 1)
  }
}

async function decodeWith(
  file: Uint8Array,
  settleAlpha: (picture: Sharp) => Sharp,
  channels: 3 | 4,
): Promise<PixelImage> {
  const given = sharp(firstPicture(file), { limitInputPixels: MAX_SOURCE_PIXELS, failOn: 'warning' })
  const { space, hasProfile } = await given.metadata()
  const picture = space === 'grey16' && hasProfile ? await applyGreyProfile(given) : given
  // Sharp takes 16 bits through a profile to P3 and 8 bits to sRGB unless it is told; told so, it drops the profiles of grey.
  if (!GREY.has(space) || picture !== given) picture.pipelineColourspace('srgb')
  const { data, info } = await settleAlpha(picture.autoOrient())
    // Profiles of colour are applied on the way in; this makes CMYK, grey and 16 bits the same as all others.
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  if (info.channels !== channels) {
    throw new Error(`expected ${channels} channels of a decoded picture, got ${info.channels}`)
  }
  return { width: info.width, height: info.height, channels, data }
}

/** Grey of 16 bits as colours of as many in sRGB, upright: sharp leaves its profile aside unless another is to take its place. */
async function applyGreyProfile(grey: Sharp): Promise<Sharp> {
  const { data, info } = await grey
    .autoOrient()
    .toColourspace('grey16')
    .withIccProfile('srgb')
    .raw({ depth: 'ushort' })
    .toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  const levels = new Uint16Array(data.buffer, data.byteOffset, data.length / Uint16Array.BYTES_PER_ELEMENT)
  return sharp(levels, { raw: { width, height, channels } })
}
