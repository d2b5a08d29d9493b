import type { Engine } from '../../src/engine/index.ts'
import { type Summary, summarize } from '../../src/cli/bench/statistics.ts'
import type { Curve } from './bench-growth.ts'

const CLIENTS = [1, 4, 16, 64]
/** Calls of each number of clients in one round. */
const CALLS = 64

/** How long a call takes when more clients ask at once, each its next question as soon as it has an answer. */
export async function measureClients(engine: Engine, runs: number): Promise<Curve> {
  const latencies = new Map<number, number[]>(CLIENTS.map((clients) => [clients, []]))
  for (let round = 0; round <= runs; round++) {
    for (const clients of CLIENTS) {
      const measured = await askAll(engine, clients)
      if (round > 0) latencies.get(clients)?.push(...measured)
    }
  }
  const points = CLIENTS.map((x) => ({ x, time: summarize(latencies.get(x) ?? []) }))
  console.error(`clients: ${points.map(({ x, time }) => `${x} ${time.median.toFixed(0)} ms`).join(', ')}`)
  return { name: 'a call on the embedded model', over: 'clients', points: points as { x: number; time: Summary }[] }
}

async function askAll(engine: Engine, clients: number): Promise<number[]> {
  const times: number[] = []
  let left = CALLS
  await Promise.all(Array.from({ length: clients }, async (_, index) => {
    while (left-- > 0) {
      const started = performance.now()
      await engine.decide({
        state: `Ticket ${left}: I was charged twice, and nobody has answered me since Monday. Please fix it today.`,
        questions: { urgent: { type: 'noul', instructions: 'Does this need an answer today?' } },
      }, { client: `client-${index}` })
      times.push(performance.now() - started)
    }
  }))
  return times
}
