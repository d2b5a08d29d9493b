/**
 * Memory that a model takes on a processor, in bytes, beside pages of its files, which the system may drop. Devices hold the
 * weights in memory of their own.
 */
export interface MemoryPrediction {
  /** Once it is open. */
  readonly open: number
  /** While it does a usual job: a state of 1,024 tokens, or a picture of 512 × 512. */
  readonly needed: number
  /** The same after `tessera quantize` with so many bits; absent where no matrix is stored as floats. */
  readonly quantized?: Readonly<Record<8 | 4, number>>
}
