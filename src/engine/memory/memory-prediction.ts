/**
 * Memory that a model takes on a processor, in bytes, beside pages of its files, which the system may drop. Devices hold the
 * weights in memory of their own.
 */
export interface MemoryPrediction {
  /** With all its parts open. */
  readonly open: number
  /** Pages of its files that stay in use as long as the system has memory for them. @defaultValue 0 */
  readonly mapped?: number
  /** What a usual job takes beside that: on a state of 1,024 tokens, or of a picture of 512 × 512, which follows another one where there is a ControlNet. */
  readonly working: number
  /** The least with which it does such a job: pictures are made in stages, with one part open at a time. */
  readonly needed: number
  /** The same after `tessera quantize` with so many bits; absent where no matrix is stored as floats. */
  readonly quantized?: Readonly<Record<8 | 4, number>>
}

/** Tokenizer, graphs and what the runtime needs for itself. */
export const BASE_BYTES = 40e6

/** Whether all parts of a model can stay open while it does a usual job. */
export function fitsWhole({ open, mapped = 0, working }: MemoryPrediction, room: number): boolean {
  return open + mapped + working <= room
}

/**
 * How much the open parts of a model that works in stages may take together, with what they work in.
 *
 * @returns undefined for a model whose parts belong together
 */
export function stageLimit({ open, working, needed }: MemoryPrediction, room: number): number | undefined {
  return needed >= open + working ? undefined : Math.max(0, room - BASE_BYTES)
}
