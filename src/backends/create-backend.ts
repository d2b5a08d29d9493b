import type { Backend, BackendName } from './backend.ts'
import { createCpuBackend } from './cpu.ts'
import { type Attempt, createFirstAvailable } from './first-available.ts'
import { createProviderBackend } from './node-provider.ts'
import { countDefaultThreads } from './platform.ts'
import { describeRuntime, type RuntimeDescription } from './runtime.ts'
import { createWasmBackend, readStartedThreads } from './wasm.ts'

export interface BackendOptions {
  /** `auto` takes the first of cuda, cpu and wasm that computes here; a name takes that or fails. */
  readonly backend: 'auto' | BackendName
  /** Threads for one operator on the CPU, 1 or more. Default: see `countDefaultThreads`. */
  readonly threads?: number
}

export interface BackendChoice extends RuntimeDescription {
  readonly backend: Backend
  readonly chosen: BackendName
  /** Why this one runs, in words. */
  readonly reason: string
  readonly threads: number
  /** What `auto` tried before, why each did not serve, and what would help; empty for an explicit backend. */
  readonly tried: readonly Attempt[]
}

export type BackendFactories = Readonly<Record<BackendName, (options: { threads: number }) => Promise<Backend>>>

const FACTORIES: BackendFactories = {
  cpu: createCpuBackend,
  wasm: createWasmBackend,
  cuda: (options) => createProviderBackend('cuda', options),
  webgpu: (options) => createProviderBackend('webgpu', options),
  coreml: (options) => createProviderBackend('coreml', options),
  dml: (options) => createProviderBackend('dml', options),
}

// CUDA's libraries are there only if somebody installed them on purpose. WebGPU in Node is experimental, and CoreML and
// DirectML run graphs of changing shapes badly: those three run only where they are asked for.
const AUTO_ORDER: readonly BackendName[] = ['cuda', 'cpu', 'wasm']

/**
 * Creates the backend that was asked for, or the best one that works here.
 *
 * @throws BackendUnavailableError when the named backend does not work here, or for `auto` when none does;
 * InvalidRequestError where onnxruntime-node must not be loaded, see `requireTelemetryDecision`, and where onnxruntime-web has
 * started in this thread with other `threads`
 */
export async function createBackend(options: BackendOptions, factories = FACTORIES): Promise<BackendChoice> {
  const countThreads = (name: BackendName) =>
    options.threads ?? (name === 'wasm' ? readStartedThreads() : undefined) ?? countDefaultThreads()
  const create = (name: BackendName) => factories[name]({ threads: countThreads(name) })
  if (options.backend !== 'auto') {
    const backend = await create(options.backend)
    const described = await describeRuntime(backend.name)
    const threads = countThreads(backend.name)
    return { backend, chosen: backend.name, reason: 'asked for by name', threads, ...described, tried: [] }
  }
  const { backend, reason, tried } = await createFirstAvailable(AUTO_ORDER, create)
  const described = await describeRuntime(backend.name)
  return { backend, chosen: backend.name, reason, threads: countThreads(backend.name), ...described, tried }
}
