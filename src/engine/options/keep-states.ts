import type { KeptStatesOptions } from '../../decide/kept/kept-states.ts'
import { InvalidRequestError } from '../../errors/index.ts'
import { count, optionTable } from '../../options/index.ts'

/** How much is kept of states that were read, for calls that bring the same state with other questions. */
export interface KeepStates {
  /**
   * Bytes of memory that all that is kept may take, beside `memoryBudget`; several workers share them evenly, and each needs 10,000,000 or more. A token of
   * decide-mini takes 18,432, so a state of 2,000 tokens about 45 MB with the overlaps of its windows; one of Qwen3-0.6B 229,376, so 459 MB. Where they do not suffice,
   * the windows that were not used for longest go first, and one that takes more alone is not kept.
   *
   * @example
   * ```ts
   * const engine = await createEngine({ keepStates: { bytes: 256e6 } })
   * ```
   */
  readonly bytes: number
  /**
   * Seconds after its last use that something is kept, 1 to 86,400, and not longer than its model is open. Default 60.
   *
   * @example
   * ```ts
   * const engine = await createEngine({ keepStates: { bytes: 256e6, seconds: 10 } })
   * ```
   */
  readonly seconds?: number | undefined
}

/** A window of decide-mini takes 6 MB; with fewer bytes nothing would ever be kept. */
const LEAST_BYTES = 10_000_000

export const KEEP_STATES = optionTable('`keepStates`', { bytes: count(1), seconds: count(1, 86_400).default(60) })

/**
 * What one worker keeps.
 *
 * @throws InvalidRequestError where that is too little for a window
 */
export function shareKeptStates({ bytes, seconds }: KeptStatesOptions, workers: number): KeptStatesOptions {
  const share = Math.floor(bytes / workers)
  if (share >= LEAST_BYTES) return { bytes: share, seconds }
  const least = `must be ${LEAST_BYTES * workers} or more${workers === 1 ? '' : `, for ${workers} workers`}`
  throw new InvalidRequestError('keepStates.bytes', `${least}, got ${bytes}: one window of a state takes megabytes`)
}
