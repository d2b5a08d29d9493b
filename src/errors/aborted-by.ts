import { AbortedError } from './request-errors.ts'

/** What a call ends with whose signal has fired. */
export function abortedBy(signal: AbortSignal | undefined): AbortedError {
  return new AbortedError(undefined, { cause: signal?.reason })
}

/** @throws AbortedError where the signal has fired */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortedBy(signal)
}
