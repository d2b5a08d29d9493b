import { readFile } from 'node:fs/promises'
import { createBackend, decideTelemetry } from '../backends/index.ts'
import type { Engine } from './engine.ts'
import { connectInline } from './inline-connection.ts'
import { type EngineOptions, resolveOptions } from './resolve-options.ts'
import { startEngine } from './start-engine.ts'
import { createTaskSource } from './task-source.ts'
import { connectWorker } from './worker-connection.ts'

/**
 * Starts an engine: its worker thread and backend at once, each model with the first request for it. An idle
 * engine does not keep the process alive.
 *
 * @example
 * ```ts
 * await using engine = await createEngine({ threads: 2, preload: ['decide-latest'] })
 * const { answers } = await engine.decide(request)
 * ```
 *
 * @throws InvalidRequestError for an option or `TESSERA_` variable that is no valid value; BackendUnavailableError when
 * the backend that was asked for does not work here, or none does
 */
export async function createEngine(options?: EngineOptions): Promise<Engine> {
  const resolved = resolveOptions(options)
  if (options?.runtimeTelemetry === true) decideTelemetry(true)
  const connect = resolved.worker ? connectWorker() : connectInline(createTaskSource, createBackend)
  return startEngine(resolved, connect, createTaskSource(resolved.settings), readFile)
}
