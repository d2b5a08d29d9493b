import { resolve } from 'node:path'
import { createEngine } from '../../src/engine/index.ts'
import type { Bench } from '../report/bench.ts'
import { table } from '../report/markdown.ts'
import { measureFairness, type Fairness } from './measure-fairness.ts'
import { askFor, type Figures, type Load, QUESTION, runCallers } from './run-callers.ts'
import { countCost, type Cost, withFleet } from './with-fleet.ts'

const CALLERS = [1, 8, 64]
const WORKERS = [1, 2, 4]
const SECONDS = 5

interface QueueResults {
  readonly seconds: number
  /** Decisions that cost nothing, through the queue, by workers and callers. */
  readonly idle: readonly (Load & { readonly workers: number })[]
  /** What a decision of eight callers costs the server. */
  readonly cost: Cost
  /** The embedded model in this process, and in one worker. */
  readonly model: readonly (Load & { readonly local: Figures })[]
  readonly fairness: Fairness
}

/** What calls cost that go through a queue. */
export const queueBench: Bench<QueueResults> = {
  async measure({ model }) {
    const idle: QueueResults['idle'][number][] = []
    let cost: Cost | undefined
    for (const workers of WORKERS) {
      await withFleet({ workers }, async ({ engine, connection, start }) => {
        await start()
        for (const callers of CALLERS) {
          console.error(`no work: ${workers} workers, ${callers} callers`)
          idle.push({ workers, callers, ...(await runCallers(engine, callers, SECONDS)) })
        }
        // Few at once: calls that are put into the queue or taken out together share some commands.
        cost ??= await countCost(connection, (seconds) => askFor(engine, 8, seconds))
      })
    }
    const withModel = await measureModel(resolve(model))
    console.error('fairness')
    return { seconds: SECONDS, idle, cost: cost!, model: withModel, fairness: await measureFairness() }
  },
  render: ({ seconds, idle, cost, model, fairness }) => {
    const rows = idle.map(({ workers, callers, ...figures }) => [
      String(workers),
      String(callers),
      ...cells(figures, seconds),
    ])
    const beside = model.map(({ callers, local, ...queued }) => [
      String(callers),
      ...cells(local, seconds),
      ...cells(queued, seconds),
    ])
    const times = ['p50', 'p99', 'a second']
    return {
      markdown: [
        'Decisions that an engine without work answers, through a queue on a Redis server (AOF) of the same machine, sealed: what the queue itself costs.',
        table(['workers', 'callers', ...times], rows),
        `A decision cost the server ${cost.commands.toFixed(0)} commands, those of scripts among them, ${cost.received.toFixed(0)} bytes that it received and ${cost.sent.toFixed(0)} that it sent.`,
        'The embedded model, one question about a sentence: in this process, and in one worker behind the queue.',
        table(['callers', ...times.map((name) => `here, ${name}`), ...times.map((name) => `queue, ${name}`)], beside),
        `Fairness: with ${fairness.waiting} calls of one client waiting for one worker that takes ${fairness.milliseconds} ms each, four at a time, the one call of another client was answered after ` +
          `${fairness.waits.map((wait) => wait.toFixed(0)).join(', ')} ms; the calls in front of it would take, by calculation, ${(fairness.backlogMs / 1000).toFixed(0)} s.`,
      ].join('\n\n'),
    }
  },
}

async function measureModel(model: string): Promise<QueueResults['model']> {
  const local = await createEngine({ models: { 'decide-latest': model }, backend: 'cpu', preload: ['decide-latest'] })
  const here = new Map<number, Figures>()
  try {
    for (const callers of CALLERS) here.set(callers, await runCallers(local, callers, SECONDS))
  } finally {
    await local.dispose()
  }
  return withFleet({ workers: 1, model }, async ({ engine, start }) => {
    await start()
    const loads: QueueResults['model'][number][] = []
    await engine.decide(QUESTION)
    for (const callers of CALLERS) {
      console.error(`with the model: ${callers} callers`)
      loads.push({ callers, local: here.get(callers)!, ...(await runCallers(engine, callers, SECONDS)) })
    }
    return loads
  })
}

function cells({ p50, p99, answers }: Figures, seconds: number): string[] {
  return [`${p50.toFixed(1)} ms`, `${p99.toFixed(1)} ms`, (answers / seconds).toFixed(0)]
}
