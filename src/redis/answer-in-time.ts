import { LateError } from '../errors/late-error.ts'
import { whenLate } from '../errors/when-late.ts'

/** As long as a store is waited for. */
export const DEADLINE_MS = 2000

/**
 * A server that is frozen breaks no connection, and commands wait for one that is away: neither is to hold up who asks.
 *
 * @throws Error where there is no answer in time; the command may still be carried out then
 */
export async function answerInTime<Answer>(work: Promise<Answer>, milliseconds = DEADLINE_MS): Promise<Answer> {
  let stop = () => {}
  const late = new Promise<never>((_, reject) => {
    stop = whenLate(milliseconds, () => reject(new LateError('the Redis server', milliseconds)))
  })
  try {
    return await Promise.race([work, late])
  } finally {
    stop()
  }
}
