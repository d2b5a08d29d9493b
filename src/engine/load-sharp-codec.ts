import type { PictureCodec } from '../images/picture/picture-codec.ts'

/** Node's codec, loaded where pictures are first needed. */
export async function loadSharpCodec(): Promise<PictureCodec> {
  return (await import('../images/picture/sharp-codec.ts')).sharpCodec
}
