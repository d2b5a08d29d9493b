import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Cost } from '../measure/compare-pairs.ts'
import type { Recording } from './record-passes.ts'

/** Recorded runs without an engine, in a thread of their own. */
export interface BareRuns {
  /** Repeats all recorded runs in their order, and says what that cost inside the thread. */
  replay(): Promise<Cost>
  dispose(): Promise<void>
}

/** `spinning` is whether threads wait for work in a busy loop, which is onnxruntime's default and not this library's. */
export async function openBare(
  { models, passes }: Recording,
  options: { readonly threads: number; readonly spinning: boolean },
): Promise<BareRuns> {
  // One message, so that the cache that all passes share is copied once and shared there, too.
  const worker = new Worker('./bench/decide/bare-worker.mjs', {
    workerData: { models, passes, ...options },
    execArgv: [],
    name: 'bare',
  })
  await once(worker, 'message')
  return {
    async replay() {
      const answer = once(worker, 'message')
      worker.postMessage('replay')
      const [cost] = (await answer) as [Cost]
      return cost
    },
    async dispose() {
      const exited = once(worker, 'exit')
      worker.postMessage('close')
      await exited
    },
  }
}
