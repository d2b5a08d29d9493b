import { whenLate } from './when-late.ts'

/** Why something was given up that another program was asked for. Its words are this package's own, and have nothing of a request. */
export class LateError extends Error {
  override readonly name = 'LateError'

  /** @param whom what was asked, such as `the store` */
  constructor(whom: string, milliseconds: number) {
    super(`${whom} did not answer within ${milliseconds} ms`)
  }
}

/**
 * What some work comes to, which goes on where it is late.
 *
 * @param whom what was asked
 * @throws LateError where it takes longer
 */
export async function inTime<Answer>(work: Promise<Answer>, milliseconds: number, whom: string): Promise<Answer> {
  let stop = () => {}
  const late = new Promise<never>((_, reject) => {
    stop = whenLate(milliseconds, () => reject(new LateError(whom, milliseconds)))
  })
  try {
    return await Promise.race([work, late])
  } finally {
    stop()
  }
}
