import { createBackend } from '../../backends/index.ts'
import type { Engine } from '../engine.ts'
import { type EngineOptions, resolveOptions } from '../options/resolve-options.ts'
import { connectInline } from '../pool/inline-connection.ts'
import { connectProcess } from '../pool/process-connection.ts'
import { connectWorker } from '../pool/worker-connection.ts'
import { startEngine } from '../start-engine.ts'
import { bundleWorker } from './bundle-worker.ts'
import { createFakeSource, type FakeState } from './fake-task.ts'

export const QUESTIONS = { q: { type: 'noul', instructions: 'Yes?' } } as const

/** Runs a fake job; resolves to the log of all steps done so far. */
export async function runFake(engine: Engine, state: FakeState, options?: Parameters<Engine['decide']>[1]) {
  const { model } = await engine.decide({ state, questions: QUESTIONS }, options)
  return model
}

/** An engine over the fake task, in this thread or in a worker. */
export async function startFakeEngine(
  options: EngineOptions,
  resourceLimits?: { maxOldGenerationSizeMb: number },
): Promise<Engine> {
  const resolved = resolveOptions({ backend: 'cpu', threads: 1, ...options }, {})
  const source = createFakeSource()
  if (!resolved.worker)
    return startEngine(
      resolved,
      connectInline(() => source, createBackend),
      source,
    )
  const url = await bundleWorker('src/engine/test-support/fake-worker.ts', 'fake-worker')
  if (resolved.worker === 'process') return startEngine(resolved, connectProcess(url), source)
  return startEngine(resolved, connectWorker(url, resourceLimits ? { resourceLimits } : {}), source)
}
