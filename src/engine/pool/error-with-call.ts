import type { TesseraError } from '../../errors/index.ts'

/** An error of the other end, whose stack ends where the message came in there, goes on with the lines that made the call. */
export function withCall(error: TesseraError, call: Error): TesseraError {
  const lines = call.stack?.split('\n').filter((line) => line !== `Error: ${call.message}`) ?? []
  error.stack = [error.stack ?? error.message, ...lines].join('\n')
  return error
}
