import { InvalidRequestError } from '../../errors/index.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import { readOption } from '../../options/index.ts'
import type { PictureRequest } from '../image-pipeline.ts'
import { resizeInTurns } from '../picture/lanczos.ts'
import { sampleNearest } from '../picture/mask.ts'
import { toPlanes, type PixelImage } from '../picture/pixel-image.ts'
import { patchify } from '../sampling/packing.ts'
import type { Grid } from '../sampling/positions.ts'
import { CONTROL_SCALE } from '../sampling/sampling-options.ts'
import type { StartEncoder } from './start-encoder.ts'
import type { ControlInputs } from './z-image-steps.ts'

/** From here on a mask is white for a ControlNet, which knows no grey. */
const WHITE = 128

/** What controls are read with. */
interface ControlReader {
  readonly encoder: StartEncoder
  /** Channels of the latents. */
  readonly channels: number
  /** The same of what the ControlNet takes; undefined where the model has none. */
  readonly controlChannels: number | undefined
  /** Pixels per latent value. */
  readonly scale: number
}

type ControlledModel = Pick<ControlReader, 'channels' | 'controlChannels'>

/** A source and what may change of it, both of the size that is drawn. */
export interface MaskedSource {
  readonly picture: PixelImage
  readonly mask: PixelImage
}

/** Whether a ControlNet sees the source and what may change of it beside the control. */
export function seesMasks({ channels, controlChannels }: ControlledModel): boolean {
  return controlChannels !== undefined && controlChannels > channels
}

/** @throws InvalidRequestError where the model has none */
export function requireControlNet({ controlChannels }: Pick<ControlReader, 'controlChannels'>): void {
  if (controlChannels !== undefined) return
  const remedy = 'put one into its folder controlnet, or name it in "parts" of its tessera.json'
  throw new InvalidRequestError('control', `needs a ControlNet, which this model does not have; ${remedy}`)
}

/** @throws InvalidRequestError for a control that the model can't follow, or an unknown scale */
export function requireControl({ control, mask, strength }: PictureRequest, model: ControlledModel) {
  if (control === undefined) return
  readOption('control.scale', CONTROL_SCALE, control.scale)
  requireControlNet(model)
  if (mask === undefined || strength === undefined || !seesMasks(model)) return
  const reason = 'makes no sense with mask and control, as this ControlNet sees the source itself; leave it out'
  throw new InvalidRequestError('strength', reason)
}

/**
 * What the ControlNet is given, as diffusers' ZImageControlNetPipeline and ZImageControlNetInpaintPipeline make it: the control resampled to the
 * picture's size and encoded, then, where it takes them, what stays and the source with grey in place of what changes, or zeros.
 *
 * @param size of the latents
 */
export async function readControl(
  { control }: PictureRequest,
  { encoder, channels, controlChannels = channels, scale }: ControlReader,
  { size, masked }: { readonly size: Grid; readonly masked: MaskedSource | undefined },
  context: JobContext,
): Promise<ControlInputs | undefined> {
  if (control === undefined) return undefined
  const { height, width } = size
  const area = height * width
  const pixels = { height: height * scale, width: width * scale }
  const encode = async (planes: Float32Array) =>
    encoder.middle(await encoder.encodePlanes({ ...pixels, data: planes }, context))
  const latents = new Float32Array(controlChannels * area)
  const seen = await resizeInTurns(control.picture, pixels, () => context.turn())
  latents.set(await encode(toPlanes(seen)))
  if (masked) {
    latents.set(keptPlaces(masked.mask, size), channels * area)
    latents.set(await encode(hideChanged(masked)), (channels + 1) * area)
  }
  return { tokens: patchify(latents, controlChannels, height, width), scale: control.scale }
}

/** 1 where a mask is black. */
function keptPlaces(mask: PixelImage, { height, width }: Grid): Float32Array {
  return sampleNearest(mask, height, width).map((value) => (value * 255 >= WHITE ? 0 : 1))
}

/** Planes of the source, 0 where the mask is white. */
function hideChanged({ picture, mask }: MaskedSource): Float32Array {
  const area = picture.width * picture.height
  return toPlanes(picture).map((value, i) => (mask.data[3 * (i % area)]! >= WHITE ? 0 : value))
}
