// A process of its own on one backend, see measure/child.ts: run-job.js decide|step BACKEND FOLDER THREADS
import { createInterface } from 'node:readline'
import { resolve } from 'node:path'
import { type BackendName, createBackend } from '../../src/backends/index.ts'
import { createEngine } from '../../src/engine/index.ts'
import type { DecisionRequestInput } from '../../src/schemas/index.ts'
import { openFlux2Step } from '../images/step-model.ts'

/** What a job says when it has run once. */
export interface Ready {
  /** From the start of opening to the first result. */
  readonly startup_ms: number
  readonly resident_mib: number
  /** Probabilities, or the values of a prediction. */
  readonly values: readonly number[]
}

const SIDE = 256
const STATE =
  'The printer on the second floor is out of order again, and the invoice for last month was paid twice. '.repeat(12)
const QUESTIONS: DecisionRequestInput['questions'] = {
  urgent: { type: 'noul', instructions: 'Does this need an answer today?' },
  team: {
    type: 'choice', instructions: 'Who should handle it?',
    criteria: { billing: 'Payments', tech: 'Faults', sales: 'Offers' },
  },
  anger: { type: 'score', instructions: 'How angry is the writer?', criteria: ['calm', 'annoyed', 'furious'] },
}

const [kind, name, folder, threads] = process.argv.slice(2) as ['decide' | 'step', BackendName, string, string]
const options = { backend: name, threads: Number(threads) }
const started = performance.now()
const job = kind === 'decide' ? await openDecisions() : await openStep()
const values = await job()
const ready: Ready = {
  startup_ms: performance.now() - started, resident_mib: process.memoryUsage.rss() / 2 ** 20, values,
}
console.log(JSON.stringify(ready))
for await (const _ of createInterface(process.stdin)) {
  await job()
  console.log('done')
}
process.exit(0)

async function openDecisions(): Promise<() => Promise<number[]>> {
  const engine = await createEngine({ ...options, models: { 'decide-latest': resolve(folder) } })
  return async () => {
    const { answers } = await engine.decide({ state: STATE, questions: QUESTIONS })
    return Object.values(answers).flatMap((answer) => {
      if (answer.type === 'noul') return [answer.noul]
      return Object.values(answer.probabilities)
    })
  }
}

async function openStep(): Promise<() => Promise<number[]>> {
  const { backend } = await createBackend(options)
  const model = await openFlux2Step(backend, folder, SIDE)
  return async () => [...(await model.predict())]
}
