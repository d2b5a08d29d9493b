import type { QueueEngine } from '../../src/queue/index.ts'
import { callFor } from '../measure/call-for.ts'
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
      payloads.push({
        name,
        ...(await countCost(connection, (seconds) => callFor(CALLERS, seconds, () => call(engine)))),
      })
    }
    return payloads
  })
}
