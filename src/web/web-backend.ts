import type { Backend, BackendName } from '../backends/backend.ts'
import type { BackendChoice } from '../backends/create-backend.ts'
import { createFirstAvailable } from '../backends/first-available.ts'
import { handOverWeights } from '../backends/hand-over-weights.ts'
import type { OrtRuntime } from '../backends/open-session.ts'
import { createOrtBackend } from '../backends/ort-backend.ts'
import type { EngineSettings } from '../engine/options/resolve-options.ts'
import { BackendUnavailableError, InvalidRequestError } from '../errors/index.ts'
import { refuseLostDevice, watchDevice } from './lost-device.ts'
import { watchThreads } from './watch-threads.ts'
import type { WeightStore } from './weight-store.ts'

type WebBackendName = Extract<BackendName, 'webgpu' | 'wasm'>

export interface WebBackendParts {
  readonly weights: WeightStore
  /** Told when the device of the backend is lost; it computes nothing from then on. */
  readonly onLost: (error: Error) => void
}

/**
 * A backend of this browser. `auto` takes WebGPU where there is a device that computes right, else WebAssembly.
 *
 * @throws BackendUnavailableError
 */
export async function createWebBackend(
  settings: EngineSettings,
  { weights, onLost }: WebBackendParts,
): Promise<BackendChoice> {
  let threads = countThreads(settings.threads)
  const remedy = sayOnce(
    `serve the files of onnxruntime-web that docs/browsers.md names at runtimeUrl (${settings.runtimeUrl}; \`.mjs\` as text/javascript), and ` +
      'allow them in the Content-Security-Policy (script-src and connect-src; WebAssembly by wasm-unsafe-eval)',
  )
  // `auto` goes on to it by itself.
  const otherwise = settings.backend === 'auto' ? '' : ", or use backend 'wasm'"
  let runtime = ''
  const create = async (name: WebBackendName) => {
    const device =
      name === 'webgpu' ? await requireAdapter({ hardware: settings.backend === 'auto', otherwise }) : undefined
    const loaded = await loadRuntime(name, settings)
    const { ort } = loaded
    threads = loaded.threads
    if (device !== undefined) await refuseLostDevice(ort)
    runtime = `onnxruntime-web ${ort.env.versions.web}`
    const starting = createOrtBackend(name, ort, {
      session: { executionProviders: [name] },
      remedy: name === 'webgpu' ? remedy + otherwise : remedy,
      kind: device === undefined ? 'processor' : device.features.has('shader-f16') ? 'device' : 'device without half',
    })
    const started = await (threads > 1 ? watchThreads(name, settings.runtimeUrl!, starting) : starting)
    const backend = device === undefined ? started : watchDevice(started, ort, onLost)
    return handOverWeights(backend, (folder, file) => weights.read(folder, file))
  }
  const finish = (backend: Backend, reason: string, tried: BackendChoice['tried']) => ({
    backend,
    chosen: backend.name,
    reason,
    threads,
    runtime,
    runtimeTelemetry: 'off' as const,
    tried,
  })
  if (settings.backend !== 'auto') {
    return finish(await create(settings.backend as WebBackendName), 'asked for by name', [])
  }
  const { backend, reason, tried } = await createFirstAvailable(['webgpu', 'wasm'], create)
  return finish(backend, reason, tried)
}

/** With `worker: false` a start that failed is final, also where it failed for a connection that broke. */
function sayOnce(remedy: string): string {
  return typeof document === 'undefined' ? remedy : `${remedy}; then reload the page, as onnxruntime starts once in it`
}

interface StartedRuntime {
  readonly runtimeUrl: string
  readonly threads: number
}

/** What runtimes of this page or worker started with, by their settings: each starts once, and reads these no more. */
const startedRuntimes = new WeakMap<object, StartedRuntime>()

/**
 * Each has a build of its own, so that a page without WebGPU loads the smaller one.
 *
 * @throws InvalidRequestError for an option with another value than that of the engine that started it
 */
async function loadRuntime(
  name: WebBackendName,
  settings: EngineSettings,
): Promise<StartedRuntime & { ort: OrtRuntime }> {
  const ort = await importRuntime(name)
  const { wasm } = ort.env
  const asked = { runtimeUrl: settings.runtimeUrl!, threads: countThreads(settings.threads) }
  const started = startedRuntimes.get(wasm)
  if (started === undefined) {
    startedRuntimes.set(wasm, asked)
    wasm.wasmPaths = asked.runtimeUrl
    wasm.numThreads = asked.threads
  } else {
    const compared = settings.threads === undefined ? (['runtimeUrl'] as const) : (['runtimeUrl', 'threads'] as const)
    const other = compared.find((option) => asked[option] !== started[option])
    if (other !== undefined) {
      const reason = `must be ${started[other]}, as of the engine that started onnxruntime here, which starts once; got ${asked[other]}`
      throw new InvalidRequestError(other, `${reason}; without worker: false each engine has one of its own`)
    }
  }
  return { ...(started ?? asked), ort: ort as unknown as OrtRuntime }
}

async function importRuntime(name: WebBackendName) {
  try {
    return name === 'webgpu' ? await import('onnxruntime-web/webgpu') : await import('onnxruntime-web/wasm')
  } catch (cause) {
    const remedy =
      'Serve all files of the bundle, also after a new one took its place, and reload the page. Service workers cannot ' +
      'load code in parts: start the engine in a page or a worker'
    throw new BackendUnavailableError(name, 'its code could not be loaded, see `cause`', remedy, { cause })
  }
}

/** The part of the standard that is used here. */
interface Gpu {
  requestAdapter(): Promise<GpuAdapter | null>
}

interface GpuAdapter {
  /** Not in browsers from before it was standard. */
  readonly info?: { readonly isFallbackAdapter?: boolean }
  readonly features: ReadonlySet<string>
}

interface Wanted {
  /** A device in software, which is slower than WebAssembly, does not do. */
  readonly hardware: boolean
  /** What else helps, behind the remedy. */
  readonly otherwise: string
}

async function requireAdapter({ hardware, otherwise }: Wanted): Promise<GpuAdapter> {
  const { gpu } = navigator as Navigator & { gpu?: Gpu }
  const remedy = `update the browser or its graphics driver${otherwise}`
  if (gpu === undefined) throw new BackendUnavailableError('webgpu', 'this browser has no WebGPU here', remedy)
  const adapter = await gpu.requestAdapter().catch((cause: Error) => {
    // Firefox 141 and some after it refuse to look where they do not trust the driver; the standard has null for that.
    throw new BackendUnavailableError('webgpu', `WebGPU finds no device here (${cause.message})`, remedy, { cause })
  })
  if (adapter === null) throw new BackendUnavailableError('webgpu', 'WebGPU finds no device here', remedy)
  if (hardware && adapter.info?.isFallbackAdapter) {
    throw new BackendUnavailableError('webgpu', 'WebGPU finds only a device in software here', remedy)
  }
  return adapter
}

/** Threads share memory, which a page may do only when it is isolated from others. Half of the processors stay free. */
function countThreads(asked = Math.max(1, Math.floor(navigator.hardwareConcurrency / 2))): number {
  return globalThis.crossOriginIsolated ? asked : 1
}
