/**
 * Memory that a model takes on a processor, in bytes, beside pages of its files, which the system may drop. Devices hold the
 * weights in memory of their own.
 */
export interface MemoryPrediction {
  /** With all its parts open. */
  readonly open: number
  /** What a usual job takes beside that: on a state of 1,024 tokens, or of a picture of 512 × 512. */
  readonly working: number
  /** The least with which it does such a job: pictures are made in stages, with one part open at a time. */
  readonly needed: number
  /** The same after `tessera quantize` with so many bits; absent where no matrix is stored as floats. */
  readonly quantized?: Readonly<Record<8 | 4, number>>
}

/** Tokenizer, graphs and what the runtime needs for itself. */
export const BASE_BYTES = 40e6

/**
 * How much the open parts of a model may take together where it works in stages, since not all of them fit into `room`.
 *
 * @returns undefined where it is open as a whole
 */
export function stageLimit({ open, working, needed }: MemoryPrediction, room: number): number | undefined {
  if (open + working <= room || needed >= open + working) return undefined
  return Math.max(0, room - working - BASE_BYTES)
}
