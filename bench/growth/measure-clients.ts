import { summarize } from '../../src/cli/bench/statistics.ts'
import { createEngine, type Engine } from '../../src/engine/index.ts'
import type { Curve } from './results.ts'

const CLIENTS = [1, 4, 16, 64]
/** Calls of each client in one round. */
const CALLS = 10

/**
 * How long a call takes when more clients ask at once, each its next question as soon as it has an answer: with all threads
 * in one worker, and with as many workers of one thread.
 */
export async function measureClients(folder: string, threads: number, runs: number): Promise<Curve[]> {
  const models = { 'decide-latest': folder }
  await using one = await createEngine({ backend: 'cpu', threads, models })
  await using several = await createEngine({ backend: 'cpu', threads: 1, workers: threads, models })
  const engines = Object.entries({
    [`one worker of ${threads} threads`]: one,
    [`${threads} workers of one thread`]: several,
  })
  const latencies = new Map<string, number[]>()
  for (let round = 0; round <= runs; round++) {
    for (const clients of CLIENTS) {
      for (const [name, engine] of engines) {
        const measured = await askAll(engine, clients)
        // The first round opens the model in every worker.
        if (round > 0) latencies.set(name + clients, [...(latencies.get(name + clients) ?? []), ...measured])
      }
    }
  }
  return engines.map(([name]) => {
    const points = CLIENTS.map((x) => ({ x, time: summarize(latencies.get(name + x) ?? []) }))
    console.error(`${name}, clients: ${points.map(({ x, time }) => `${x} ${time.median.toFixed(0)} ms`).join(', ')}`)
    return { name: `a call on the embedded model, ${name}`, over: 'clients', points }
  })
}

/** Milliseconds of each call but the first of a client, with which all come at once, and the last, when others are done. */
export async function askAll(engine: Pick<Engine, 'decide'>, clients: number): Promise<number[]> {
  const ask = async (client: string) => {
    const times: number[] = []
    for (let call = 0; call < CALLS; call++) {
      const started = performance.now()
      await engine.decide(
        {
          state: `Ticket ${client}-${call}: I was charged twice, and nobody has answered me since Monday. Please fix it today.`,
          questions: { urgent: { type: 'noul', instructions: 'Does this need an answer today?' } },
        },
        { client },
      )
      times.push(performance.now() - started)
    }
    return times.slice(1, -1)
  }
  const times = await Promise.all(Array.from({ length: clients }, (_, index) => ask(`client-${index}`)))
  return times.flat()
}
