import type { Engine } from '../engine/engine.ts'
import { startEngine } from '../engine/start-engine.ts'
import { InternalError } from '../errors/index.ts'
import { connectPage } from './page-connection.ts'
import { resolveWebOptions, type WebEngineOptions } from './resolve-web-options.ts'
import { createWebTaskSource } from './web-task-source.ts'
import { connectWebWorker } from './worker-connection.ts'

/**
 * Starts an engine in this page: its worker and backend at once, each model with the first request for it. Models come
 * from URLs and are kept in Cache Storage; calls report their download as progress.
 *
 * @example
 * ```ts
 * const engine = await createEngine({ runtimeUrl: '/onnxruntime/', modelsUrl: '/models/' })
 * const { answers } = await engine.decide(request)
 * ```
 *
 * @throws InvalidRequestError for an option that is no valid value; BackendUnavailableError when the backend that was
 * asked for does not work here, or none does; of models under `preload` what `Engine.load` throws; InternalError on a server,
 * and where the script of the worker never runs
 */
export async function createEngine(options: WebEngineOptions): Promise<Engine> {
  // Frameworks render pages on a server first; workers have a location too.
  if (typeof location === 'undefined') {
    throw new InternalError(
      "createEngine of 'tessera-onnx/web' needs a browser: on a server import 'tessera-onnx', and start this one in an effect (useEffect, onMount)",
    )
  }
  const resolved = resolveWebOptions(options, typeof document === 'undefined' ? location.href : document.baseURI)
  const connect = resolved.worker ? connectWebWorker(options.createWorker ?? createDefaultWorker) : connectPage
  return startEngine(resolved, connect, createWebTaskSource(resolved.settings))
}

// Bundlers find and bundle the worker by this very form.
function createDefaultWorker(): Worker {
  return new Worker(new URL('./worker.js', import.meta.url), { type: 'module', name: 'tessera' })
}
