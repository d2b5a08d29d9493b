import { setTimeout as sleep } from 'node:timers/promises'
import { connectRedis } from '../../src/redis/connect-redis.ts'
import { QUESTION } from './run-callers.ts'
import { withFleet } from './with-fleet.ts'

const WAITING = 10_000
const MILLISECONDS = 50
const AT_A_TIME = 4
/** Calls are put into the queue so many at once: each has five seconds to get in. */
const STEP = 250
const TRIES = 5

export interface Fairness {
  readonly waiting: number
  /** That a worker takes for a call. */
  readonly milliseconds: number
  /** Milliseconds until the other client's calls were answered, one after the other. */
  readonly waits: readonly number[]
  /** Milliseconds that the waiting calls take in all. */
  readonly backlogMs: number
}

/** One client with thousands of calls that wait, and another with one. */
export function measureFairness(): Promise<Fairness> {
  return withFleet({ workers: 1, milliseconds: MILLISECONDS }, async ({ connection, engine, front, start }) => {
    const client = await connectRedis(connection)
    let refusal: unknown
    for (let count = 0; count < WAITING; count += STEP) {
      for (let index = 0; index < STEP; index++) {
        engine.decide(QUESTION, { client: 'many' }).catch((error: unknown) => (refusal ??= error))
      }
      while ((await client.zCard('tessera-queue:decide-decide-latest:prioritized')) < count + STEP) {
        if (refusal !== undefined) throw refusal
        await sleep(20)
      }
    }
    client.destroy()
    await start()
    const other = front()
    const waits: number[] = []
    for (let index = 0; index < TRIES; index++) {
      const began = performance.now()
      await other.decide(QUESTION, { client: 'one' })
      waits.push(performance.now() - began)
    }
    return { waiting: WAITING, milliseconds: MILLISECONDS, waits, backlogMs: (WAITING * MILLISECONDS) / AT_A_TIME }
  })
}
