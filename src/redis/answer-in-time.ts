import { LateError } from '../errors/late-error.ts'

/** As long as a store is waited for. */
export const DEADLINE_MS = 2000

/**
 * A server that is frozen breaks no connection, and commands wait for one that is away: neither is to hold up who asks.
 *
 * @throws Error where there is no answer in time; the command may still be carried out then
 */
export async function answerInTime<Answer>(work: Promise<Answer>, milliseconds = DEADLINE_MS): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const refuse = () => reject(new LateError('the Redis server', milliseconds))
    timer = setTimeout(refuse, milliseconds)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
