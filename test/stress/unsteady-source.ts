import { setTimeout as sleep } from 'node:timers/promises'
import type { EngineSettings } from '../../src/engine/options/resolve-options.ts'
import { createTaskSource } from '../../src/engine/worker/task-source.ts'
import type { TaskSource } from '../../src/engine/worker/task.ts'

/** State of a request that ends the process or worker that reads it. */
export const CRASH = 'end of the worker'
/** Message of the openings that fail. */
export const PLANNED = 'planned by the stress run'

const LONGEST_PAUSE_MS = 60
const FAILING_OPENINGS = 0.05

/** The library's own models, weighed and opened after waits of any length; some openings fail, and one state crashes. */
export function createUnsteadySource(settings: EngineSettings): TaskSource {
  const source = createTaskSource(settings)
  return {
    names: source.names,
    nameOf: (given, fallback) => source.nameOf(given, fallback),
    resolve: (name) => source.resolve(name),
    async describe(model) {
      await pause()
      return source.describe(model)
    },
    async open(model, backend, context) {
      await pause()
      if (Math.random() < FAILING_OPENINGS) throw new Error(PLANNED)
      const task = await source.open(model, backend, context)
      await pause()
      const { decide } = task
      if (decide === undefined) return task
      return { ...task, decide: (request, job) => (request.state === CRASH ? process.exit(3) : decide(request, job)) }
    },
  }
}

async function pause(): Promise<void> {
  await sleep(Math.random() * LONGEST_PAUSE_MS)
}
