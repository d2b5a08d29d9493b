import { LateError } from '../../errors/in-time.ts'
import { OverloadedError, TesseraError } from '../../errors/index.ts'

/** Refuses a call because of what went wrong on the way to the queue; the same call may get in a moment later. */
export function refuse(cause: unknown): never {
  throw new OverloadedError('the queue cannot be reached; retry with backoff', { cause })
}

/** The same for what the server or the connection to it says; what this package says is handed on. */
export function refuseUntyped(error: unknown): never {
  if (TesseraError.isInstance(error)) throw error
  return refuse(error)
}

/** The same where the server did not answer in time. */
export function refuseLate(error: unknown): never {
  if (!(error instanceof LateError)) throw error
  throw new OverloadedError('the queue does not answer; retry with backoff', { cause: error })
}
