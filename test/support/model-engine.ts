import { createEngine, type Engine, type EngineOptions } from '../../src/engine/index.ts'
import { bundleWorker } from '../../src/engine/test-support/bundle-worker.ts'

/** An engine on the CPU, one thread, whose default model is the bundle in a folder. Its worker runs today's sources. */
export async function startModelEngine(folder: string, options: EngineOptions = {}): Promise<Engine> {
  if (options.worker !== false) await bundleWorker('src/engine/worker.ts', 'worker')
  return createEngine({ backend: 'cpu', threads: 1, models: { 'decide-latest': folder }, ...options })
}
