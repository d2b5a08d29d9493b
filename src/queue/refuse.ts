import { OverloadedError, TesseraError } from '../errors/index.ts'
import { LateError } from '../errors/late-error.ts'

/** Refuses a call because of what went wrong on the way to the queue; the same call may get in a moment later. */
export function refuse(cause: unknown): never {
  throw new OverloadedError('the queue cannot be reached; retry with backoff', { cause })
}

/** The same for what the server or the connection to it says; what this package says is handed on. */
export function refuseUntyped(error: unknown): never {
  if (TesseraError.isInstance(error)) throw error
  return refuse(error)
}

export function refuseAfter(milliseconds: number): Promise<never> {
  return new Promise((_, reject) => {
    const late = () => {
      const cause = new LateError('the Redis server', milliseconds)
      reject(new OverloadedError('the queue does not answer; retry with backoff', { cause }))
    }
    setTimeout(late, milliseconds).unref()
  })
}
