import type { PixelImage } from './pixel-image.ts'

/** Turns picture files into pixels and back; Node and browsers have different ones. */
export interface PictureCodec {
  /**
   * Decodes a PNG, JPEG or WebP file whose header was read before: turned upright, on white where it is transparent,
   * in sRGB with 8 bits and three channels. Rejects when the file is damaged.
   */
  decode(file: Uint8Array): Promise<PixelImage>
  /** The same of a mask, with four channels: what is transparent stays so. */
  decodeMask(file: Uint8Array): Promise<PixelImage>
  /** A PNG file that says nothing but its pixels: the same ones give the same bytes. */
  encode(image: PixelImage): Promise<Uint8Array>
}
