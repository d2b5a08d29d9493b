// A worker of the fleet, in a process of its own: `REDIS_URL KEYS [MODEL]`. Its engine has a model, or without one takes 5
// to 50 ms and counts characters, and says that its model is open from its first answer on.

import { setTimeout as sleep } from 'node:timers/promises'
import { createEngine } from '../../../src/engine/index.ts'
import { runWorker, type WorkingEngine } from '../../../src/queue/index.ts'

const [, , connection = '', keys = '', model = ''] = process.argv

let open = 0

async function answer({ state }: { readonly state: string }) {
  await sleep(5 + Math.random() * 45)
  open = 1
  return { model: 'fake', answers: {}, usage: { input_tokens: state.length, output_tokens: 0 }, latency_ms: 1 }
}

const counting = {
  decide: answer,
  countTokens: async ({ state }: { readonly state: string }) => ({
    input_tokens: state.length,
    state: 0,
    questions: {},
  }),
  models: async () => [{ name: 'decide-latest', id: 'fake', available: true }],
  activity: () => ({ waiting: 0, running: 0, models: [{ id: 'fake', open }], missing: [] }),
} as unknown as WorkingEngine

const engine =
  model === '' ? counting : await createEngine({ models: { 'decide-latest': model }, backend: 'cpu', threads: 1 })
await runWorker(engine, { connection, keys, jobs: ['decide'], concurrency: 4, leaseMs: 3000 })
