import { InvalidRequestError } from '../errors/index.ts'

/** @throws InvalidRequestError where the package is missing */
export async function loadBullmq() {
  return import('bullmq').catch((cause: unknown) => {
    throw new InvalidRequestError(
      'connection',
      'a queue needs the packages bullmq and @redis/client: npm install bullmq @redis/client',
      {
        cause,
      },
    )
  })
}
