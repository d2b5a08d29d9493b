import type { TesseraError } from '../errors/index.ts'
import { Refusal } from './refusal.ts'

/** Being busy is the one status of a server that is no fault of it, unless something else that went wrong is why. */
const OVERLOADED = 529

/** What is the server's own fault, and therefore told to its operator; a request that is refused is none. */
export function serverFault(error: TesseraError | Refusal | undefined): TesseraError | undefined {
  if (error === undefined || error instanceof Refusal) return undefined
  if (error.status === OVERLOADED) return error.cause === undefined ? undefined : error
  return error.status >= 500 ? error : undefined
}
