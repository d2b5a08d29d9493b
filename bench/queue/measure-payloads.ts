import type { QueueEngine } from '../../src/queue/index.ts'
import { QUESTION } from './run-callers.ts'
import { countCost, type Cost, withFleet } from './with-fleet.ts'

/** Few at once: calls that are put into the queue or taken out together share some commands. */
const CALLERS = 8

export interface Payload extends Cost {
  readonly name: string
}

const CALLS: Readonly<Record<string, (engine: QueueEngine) => Promise<unknown>>> = {
  'a short decision': (engine) => engine.decide(QUESTION),
  'a state of 100 kB': (engine) => engine.decide({ ...QUESTION, state: 'word '.repeat(20_000) }),
  'a picture of 1.5 MB': (engine) => engine.generateImage({ prompt: 'a red apple' }),
}

/** What calls of several sizes cost the server, whose answers cost the worker nothing. */
export function measurePayloads(): Promise<readonly Payload[]> {
  return withFleet({ workers: 1 }, async ({ engine, connection, start }) => {
    await start()
    const payloads: Payload[] = []
    for (const [name, call] of Object.entries(CALLS)) {
      await call(engine)
      payloads.push({ name, ...(await countCost(connection, (seconds) => repeat(() => call(engine), seconds))) })
    }
    return payloads
  })
}

/** @returns one entry for each call */
async function repeat(call: () => Promise<unknown>, seconds: number): Promise<readonly unknown[]> {
  const answers: true[] = []
  const end = performance.now() + 1000 * seconds
  const caller = async () => {
    while (performance.now() < end) {
      await call()
      answers.push(true)
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
  return answers
}
