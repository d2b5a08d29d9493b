import { StoreUnavailableError, TesseraError } from '../../errors/index.ts'
import { answerInTime } from '../../redis/answer-in-time.ts'

/** For what somebody waits for. */
export function reach<Result>(work: Promise<Result>, milliseconds?: number): Promise<Result> {
  return typed(answerInTime(work, milliseconds))
}

/** A server that is away, or refuses a command, is no fault of the service: the same request may succeed in a moment. */
export async function typed<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (cause) {
    if (TesseraError.isInstance(cause)) throw cause
    throw new StoreUnavailableError('jobs cannot be reached at the moment; retry with backoff', { cause })
  }
}
