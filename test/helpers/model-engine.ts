import { createEngine, type Engine, type EngineOptions } from '../../src/engine/index.ts'

/** An engine on the CPU, one thread, whose default model is the bundle in a folder. */
export function startModelEngine(folder: string, options: EngineOptions = {}): Promise<Engine> {
  return createEngine({ backend: 'cpu', threads: 1, models: { 'decide-latest': folder }, ...options })
}
