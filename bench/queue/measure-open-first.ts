import { runWorker } from '../../src/queue/index.ts'
import type { WorkingEngine } from '../../src/queue/worker/working-engine.ts'
import type { Answered } from '../measure/call-for.ts'
import { askFor, type Figures, toFigures } from './run-callers.ts'
import { countCost, withFleet } from './with-fleet.ts'

/** Workers that serve the model, and how many of them have it open. */
const FLEETS = [
  { open: 1, closed: 0 },
  { open: 1, closed: 1 },
  { open: 1, closed: 7 },
  { open: 0, closed: 2 },
]
/** Fewer than a worker takes at a time, and more. */
const CALLERS = [1, 8]

export interface OpenFirstLoad extends Figures {
  readonly open: number
  readonly closed: number
  readonly callers: number
  /** That the server did for a call. */
  readonly commands: number
  /** Of the answers, those of the workers that have the model open. */
  readonly share: number
}

/**
 * Which of the idle workers answer, and how long it takes. All workers are in this process, their answers need no work,
 * and those that have the model not open never open it.
 */
export async function measureOpenFirst(): Promise<readonly OpenFirstLoad[]> {
  const loads: OpenFirstLoad[] = []
  for (const { open, closed } of FLEETS) {
    await withFleet({ workers: 0 }, async ({ connection, engine, keys }) => {
      const workers = [...Array(open).fill(true), ...Array(closed).fill(false)].map(countingEngine)
      const running = await Promise.all(
        workers.map((worker) => runWorker(worker.engine, { connection, keys, jobs: ['decide'] })),
      )
      const count = (isOpen: boolean) =>
        workers.reduce((sum, worker) => (worker.isOpen === isOpen ? sum + worker.answers : sum), 0)
      await askFor(engine, 1, 0.5)
      for (const callers of CALLERS) {
        const before = [count(true), count(false)] as const
        let answered: Answered | undefined
        const { commands } = await countCost(connection, async (seconds) => {
          return (answered = await askFor(engine, callers, seconds))
        })
        const byOpen = count(true) - before[0]
        const byClosed = count(false) - before[1]
        const share = byOpen / (byOpen + byClosed)
        loads.push({ open, closed, callers, ...toFigures(answered!), commands, share })
      }
      await Promise.all(running.map((worker) => worker.close()))
    })
  }
  return loads
}

function countingEngine(isOpen: boolean) {
  const counting = {
    isOpen,
    answers: 0,
    engine: {
      async decide() {
        counting.answers++
        return { model: 'none', answers: { urgent: { type: 'noul', noul: 0.5 } }, usage: { input_tokens: 12 } }
      },
      models: async () => [{ name: 'decide-latest', id: 'none', available: true, kind: 'decisions' }],
      activity: () => ({
        waiting: 0,
        running: 0,
        models: isOpen ? [{ id: 'none', open: 1, opened: 1, openedMs: 0, failed: 0 }] : [],
        missing: [],
      }),
    } as unknown as WorkingEngine,
  }
  return counting
}
