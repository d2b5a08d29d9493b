import { LIMITS } from '../../schemas/index.ts'
import { resizeInTurns, resizeLanczos } from './lanczos.ts'
import { cropCentre, extendAround, type PixelImage, type Size } from './pixel-image.ts'
import { planReference, prepareInTurns } from './reference-image.ts'

/** Lets the other jobs go on; see `JobContext`. */
type Turn = () => Promise<void>

/** How a picture of a size is made by a model that can't make any size. */
export interface SizePlan {
  /** Size that the model makes. */
  readonly drawn: Size
  /** Brings that picture to the size that was asked for. */
  finish(picture: PixelImage): PixelImage
  /** Brings a preview of it, which may be smaller, to the shape of that. */
  frame(preview: PixelImage): PixelImage
  /** Puts a picture to follow, of which what exceeds the shape of that is cut off, where it is taken from. */
  place(control: PixelImage, turn: Turn): Promise<PixelImage>
}

/** A size as requests write it, such as `640x480`. It was checked. */
export function parseSize(text: string): Size {
  const [width, height] = text.split('x').map(Number) as [number, number]
  return { width, height }
}

/** A model that makes any multiple of `step` makes the next one, of which the margins are cut off evenly. */
export function planMultiple(size: Size, step: number): SizePlan {
  const { width, height } = size
  const drawn = { width: Math.ceil(width / step) * step, height: Math.ceil(height / step) * step }
  const share = (side: number, wanted: number, whole: number) => Math.max(1, Math.round((side * wanted) / whole))
  return {
    drawn,
    finish: (picture) => cropCentre(picture, width, height),
    frame: (preview) =>
      cropCentre(preview, share(preview.width, width, drawn.width), share(preview.height, height, drawn.height)),
    place: (control, turn) => placeControl(control, { shape: size, part: size, drawn }, turn),
  }
}

/**
 * A model of a few sizes makes the one of the closest shape. What is too much in one direction is cut off evenly, so
 * that nothing is stretched, and the rest is resampled.
 */
export function planNative(size: Size, natives: readonly Size[]): SizePlan {
  const drawn = closestShape(size, natives)
  return {
    drawn,
    finish: (picture) => resizeLanczos(cropToShape(picture, size), size.width, size.height),
    frame: (preview) => cropToShape(preview, size),
    place: (control, turn) => placeControl(control, { shape: size, part: fitShape(drawn, size), drawn }, turn),
  }
}

interface Placement {
  /** Of the result. */
  readonly shape: Size
  /** The size in the middle of what is drawn that becomes the result. */
  readonly part: Size
  readonly drawn: Size
}

async function placeControl(control: PixelImage, { shape, part, drawn }: Placement, turn: Turn): Promise<PixelImage> {
  const fitted = await resizeInTurns(cropToShape(control, shape), part, turn)
  return extendAround(fitted, drawn.width, drawn.height)
}

/** What of a picture has the shape of a size: what is too much in one direction is cut off evenly. */
function cropToShape(picture: PixelImage, size: Size): PixelImage {
  const { width, height } = fitShape(picture, size)
  return cropCentre(picture, width, height)
}

/** The largest size of a shape that a picture has room for. */
function fitShape(picture: Size, { width, height }: Size): Size {
  const scale = Math.min(picture.width / width, picture.height / height)
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** How a picture is edited by a model of a few sizes. What takes long for a large picture is done in turns with the other jobs. */
export interface EditPlan {
  readonly drawn: Size
  /** A source as the model sees it. */
  fit(picture: PixelImage, turn: Turn): Promise<PixelImage>
  /** A picture in the size of the result. */
  shown(picture: PixelImage, turn: Turn): Promise<PixelImage>
  /** A preview in the shape of the result. */
  frame(preview: PixelImage): PixelImage
  /** Puts a picture to follow where the main source is. */
  place(control: PixelImage, turn: Turn): Promise<PixelImage>
}

/** The model sees sources whole, in the native size of the closest shape, and what it draws gets the size of the main one. */
export function planNativeEdit(main: Size, natives: readonly Size[]): EditPlan {
  const size = limitSize(main)
  return {
    drawn: closestShape(main, natives),
    fit: (picture, turn) => resizeInTurns(picture, closestShape(picture, natives), turn),
    shown: (picture, turn) => resizeInTurns(picture, size, turn),
    frame(preview) {
      const { width, height } = fitShape(preview, size)
      return resizeLanczos(preview, width, height)
    },
    place: async (control) => cropToShape(control, size),
  }
}

/** A model of any size sees them as the reference does, which decides about the size of the result. */
export function planMultipleEdit(main: Size, step: number): Omit<EditPlan, 'drawn'> {
  const { whole, kept } = planReference(main, step)
  return {
    // The model cuts off what exceeds its step.
    fit: (picture, turn) => resizeInTurns(picture, planReference(picture, step).whole, turn),
    shown: (picture, turn) => prepareInTurns(picture, step, turn),
    frame: (preview) => preview,
    async place(control, turn) {
      // What was made for the result is where it belongs.
      if (control.width === kept.width && control.height === kept.height) return control
      const fitted = await resizeInTurns(cropToShape(control, main), whole, turn)
      return cropCentre(fitted, kept.width, kept.height)
    },
  }
}

/** The native size whose sides have the most similar ratio; of several, the first. */
export function closestShape(size: Size, natives: readonly Size[]): Size {
  const difference = (native: Size) => Math.abs(Math.log((native.width / native.height) * (size.height / size.width)))
  return natives.reduce((best, native) => (difference(native) < difference(best) ? native : best))
}

/** The same shape with no side above what a picture may have. */
export function limitSize({ width, height }: Size): Size {
  const scale = Math.min(1, LIMITS.imageSide.max / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}
