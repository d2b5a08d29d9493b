import type * as Bullmq from 'bullmq'
import { InvalidRequestError } from '../errors/index.ts'

/** @throws InvalidRequestError where the package is missing */
export async function loadBullmq(): Promise<
  Pick<typeof Bullmq, 'createNodeRedisClient' | 'Queue' | 'WaitingError' | 'Worker'>
> {
  return import('bullmq').catch((cause: unknown) => {
    throw new InvalidRequestError('connection', 'a queue needs the package bullmq: npm install bullmq', { cause })
  })
}
