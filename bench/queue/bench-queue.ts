import { resolve } from 'node:path'
import { createEngine } from '../../src/engine/index.ts'
import type { Bench } from '../report/bench.ts'
import { table } from '../report/markdown.ts'
import { measureFairness, type Fairness } from './measure-fairness.ts'
import { measureOpenFirst, type OpenFirstLoad } from './measure-open-first.ts'
import { askFor, type Figures, type Load, runCallers } from './run-callers.ts'
import { countCost, type Cost, withFleet } from './with-fleet.ts'

const CALLERS = [1, 8, 64]
const WORKERS = [1, 2, 4]
const SECONDS = 4

interface FleetLoad extends Load {
  readonly workers: number
}

interface QueueResults {
  readonly seconds: number
  /** Decisions that cost nothing, through the queue, by workers and callers. */
  readonly idle: readonly FleetLoad[]
  /** What a decision of eight callers costs the server. */
  readonly cost: Cost
  /** The embedded model in this process, and in workers behind the queue. */
  readonly model: { readonly local: readonly Load[]; readonly queued: readonly FleetLoad[] }
  /** Which of several idle workers answer. */
  readonly openFirst: readonly OpenFirstLoad[]
  readonly fairness: Fairness
}

/** What calls cost that go through a queue. */
export const queueBench: Bench<QueueResults> = {
  async measure({ model }) {
    const idle: FleetLoad[] = []
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
    console.error('workers that have the model open, and others')
    const openFirst = await measureOpenFirst()
    console.error('fairness')
    return { seconds: SECONDS, idle, cost: cost!, model: withModel, openFirst, fairness: await measureFairness() }
  },
  render: ({ seconds, idle, cost, model, openFirst, fairness }) => {
    const row = ({ callers, ...figures }: Load, place: string) => [place, String(callers), ...cells(figures, seconds)]
    const times = ['callers', 'p50', 'p99', 'a second']
    const beside = [
      ...model.local.map((load) => row(load, 'in this process')),
      ...model.queued.map((load) => row(load, String(load.workers))),
    ]
    const shares = openFirst.map(({ open, closed, callers, p50, p99, commands, share }) => {
      const measured = [`${p50.toFixed(1)} ms`, `${p99.toFixed(1)} ms`, commands.toFixed(0)]
      return [open, closed, callers, ...measured, `${(100 * share).toFixed(1)} %`]
    })
    return {
      markdown: [
        'Decisions that an engine without work answers, through a queue on a Redis server (AOF) of the same machine, sealed: what the queue itself costs.',
        table(
          ['workers', ...times],
          idle.map((load) => row(load, String(load.workers))),
        ),
        `A decision cost the server ${cost.commands.toFixed(0)} commands, those of scripts among them, ${cost.received.toFixed(0)} bytes that it received and ${cost.sent.toFixed(0)} that it sent.`,
        'The embedded model, one question about a sentence: in this process, and in workers behind the queue, which share the threads of the machine.',
        table(['workers', ...times], beside),
        'Workers that have the model open beside others that serve it too, all in one process and without work:',
        table(
          ['open', 'not open', 'callers', 'p50', 'p99', 'commands a call', 'answered by the open ones'],
          shares.map((cells) => cells.map(String)),
        ),
        `Fairness: with ${fairness.waiting} calls of one client waiting for one worker that takes ${fairness.milliseconds} ms each, four at a time, the one call of another client was answered after ` +
          `${fairness.waits.map((wait) => wait.toFixed(0)).join(', ')} ms; the calls in front of it would take, by calculation, ${(fairness.backlogMs / 1000).toFixed(0)} s.`,
      ].join('\n\n'),
    }
  },
}

async function measureModel(model: string): Promise<QueueResults['model']> {
  const engine = await createEngine({ models: { 'decide-latest': model }, backend: 'cpu', preload: ['decide-latest'] })
  const local: Load[] = []
  try {
    for (const callers of CALLERS) local.push({ callers, ...(await runCallers(engine, callers, SECONDS)) })
  } finally {
    await engine.dispose()
  }
  const queued: FleetLoad[] = []
  for (const workers of WORKERS) {
    await withFleet({ workers, model }, async (fleet) => {
      await fleet.start()
      for (const callers of CALLERS) {
        console.error(`with the model: ${workers} workers, ${callers} callers`)
        queued.push({ workers, callers, ...(await runCallers(fleet.engine, callers, SECONDS)) })
      }
    })
  }
  return { local, queued }
}

function cells({ p50, p99, answers }: Figures, seconds: number): string[] {
  return [`${p50.toFixed(1)} ms`, `${p99.toFixed(1)} ms`, (answers / seconds).toFixed(0)]
}
