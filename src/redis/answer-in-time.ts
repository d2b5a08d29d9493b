import { inTime } from '../errors/in-time.ts'

/** As long as a store is waited for. */
export const DEADLINE_MS = 2000

/**
 * A server that is frozen breaks no connection, and commands wait for one that is away: neither is to hold up who asks.
 *
 * @throws LateError where there is no answer in time; the command may still be carried out then
 */
export function answerInTime<Answer>(work: Promise<Answer>, milliseconds = DEADLINE_MS): Promise<Answer> {
  return inTime(work, milliseconds, 'the Redis server')
}
