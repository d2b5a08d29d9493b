import { readFile } from 'node:fs/promises'
import { createBackend, decideTelemetry } from '../backends/index.ts'
import type { Engine } from './engine.ts'
import { type EngineOptions, type ResolvedOptions, resolveOptions } from './options/resolve-options.ts'
import type { Connect } from './pool/connection.ts'
import { forgetOnClose } from './pool/forget-on-close.ts'
import { connectInline } from './pool/inline-connection.ts'
import { connectProcess } from './pool/process-connection.ts'
import type { BackendInfo } from './pool/protocol.ts'
import { connectWorker } from './pool/worker-connection.ts'
import { startEngine } from './start-engine.ts'
import { createTaskSource } from './worker/task-source.ts'

/**
 * Starts an engine: its worker and backend at once, each model with the first request for it. An idle
 * engine does not keep the process alive.
 *
 * @example
 * ```ts
 * await using engine = await createEngine({ threads: 2, preload: ['decide-latest'] })
 * const { answers } = await engine.decide(request)
 * ```
 *
 * @throws InvalidRequestError for an option or `TESSERA_` variable that is no valid value; BackendUnavailableError when
 * the backend that was asked for does not work here, or none does; of models under `preload` what `Engine.load` throws
 */
export async function createEngine(options?: EngineOptions): Promise<Engine> {
  const resolved = resolveOptions(options)
  if (options?.runtimeTelemetry === true) decideTelemetry(true)
  const engine = await startEngine(resolved, connectFor(resolved), createTaskSource(resolved.settings), readFile)
  warnIfSlow(engine.backendInfo())
  return engine
}

/** WebAssembly is slower by far: who did not ask for it is told that it computes, and what helps. */
function warnIfSlow({ backend, tried }: BackendInfo): void {
  const cpu = tried.find(({ name }) => name === 'cpu')
  if (backend !== 'wasm' || cpu === undefined) return
  process.emitWarning(`WebAssembly computes here, which is slow: ${cpu.reason}. ${cpu.remedy}`, 'TesseraBackendWarning')
}

function connectFor({ worker, settings }: ResolvedOptions): Connect {
  // Memory of a process goes back to the system, which wipes it.
  if (worker === 'process') return connectProcess()
  if (worker && settings.keepStates) return forgetOnClose(connectWorker())
  return worker ? connectWorker() : connectInline(createTaskSource, createBackend)
}
