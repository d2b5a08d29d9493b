import { InvalidRequestError } from '../../errors/index.ts'

/** Why a request is refused by what reads it. */
export function faultOf(read: () => unknown): InvalidRequestError {
  try {
    read()
  } catch (error) {
    if (error instanceof InvalidRequestError) return error
    throw error
  }
  throw new Error('the request was accepted')
}
