import type { ImageGenerationJob } from '../../images/index.ts'
import { CONTROL_SCALE } from '../../images/sampling/sampling-options.ts'
import { optionTable, readOption } from '../../options/index.ts'
import { pictureSourceSchema } from '../../schemas/image-schemas.ts'
import type { PictureSource } from '../../schemas/index.ts'
import { ownSource, type ReadFile } from './picture-sources.ts'

/** What ZImageControlNetPipeline of diffusers takes. */
const SCALE = 0.75

/** A picture whose edges, pose or depth a new one follows, in models with a ControlNet. */
export interface ControlOption {
  /**
   * The edges, pose, depth or lines themselves, as the ControlNet was trained on them; they are not found in a photo here. A PNG, JPEG or WebP file in any form that `image` of an
   * edit has. What exceeds the shape of the new picture is cut off evenly, the rest is resampled.
   *
   * @example
   * ```ts
   * await generateImage({ prompt: 'a cat' }, { control: { image: await readFile('edges.png') } })
   * ```
   */
  readonly image: PictureSource
  /**
   * How closely it is followed, 0 (not at all) to 2. Default 0.75.
   *
   * @example
   * ```ts
   * await generateImage({ prompt: 'a cat' }, { control: { image: await readFile('edges.png'), scale: 0.6 } })
   * ```
   */
  readonly scale?: number | undefined
}

const CONTROL = optionTable('a control', { image: pictureSourceSchema, scale: CONTROL_SCALE.default(SCALE) })
const CALL = optionTable('a call for pictures', { control: CONTROL })

/**
 * A control whose picture nobody else has, and its scale.
 *
 * @throws InvalidRequestError naming what is wrong with it, `control.image` or `control.scale`
 */
export async function readControl(
  control: ControlOption | undefined,
  readFile: ReadFile | undefined,
): Promise<Pick<ImageGenerationJob, 'control'>> {
  if (control === undefined) return {}
  if (typeof control !== 'object' || control === null) return readOption('options', CALL, { control })
  const own = { ...control }
  const image = await ownSource(own.image, 'control.image', readFile)
  return readOption('options', CALL, { control: { ...own, image } })
}
