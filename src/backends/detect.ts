import { BackendUnavailableError } from '../errors/index.ts'
import type { Backend, BackendName, ProviderName } from './backend.ts'
import { createCpuBackend } from './cpu.ts'
import { describePlatform } from './platform.ts'
import { probeProvider } from './provider-probe.ts'
import { describeRuntime } from './runtime.ts'
import { createWasmBackend, readStartedThreads } from './wasm.ts'

/** Whether a backend computes on this machine. */
export interface BackendStatus {
  /** Name of the backend. */
  readonly name: BackendName
  /** True when a small graph was computed on it, here and now. */
  readonly available: boolean
  /** Why not, where it is not available. */
  readonly reason?: string
  /** What to install or do, where it is not available. */
  readonly remedy?: string
  /** What the backend runs on, such as the version of its runtime; for people. */
  readonly details: Readonly<Record<string, string | number | boolean>>
}

/**
 * Tries every backend on this machine by computing with it. Writes nothing to stdout or stderr; hardware providers are
 * tried in child processes, all at the same time. It starts onnxruntime-web with one thread, which engines on `wasm` with `worker: false`
 * then have too: create them before.
 *
 * @example
 * ```ts
 * for (const { name, available, reason } of await detectBackends()) console.log(name, available, reason)
 * ```
 */
export async function detectBackends(): Promise<BackendStatus[]> {
  return Promise.all([
    detect('cpu', () => tryBackend(createCpuBackend({ threads: 1 }))),
    detect('cuda', () => tryProvider('cuda')),
    detect('webgpu', () => tryProvider('webgpu')),
    detect('coreml', () => tryProvider('coreml')),
    detect('dml', () => tryProvider('dml')),
    detect('wasm', () => tryBackend(createWasmBackend({ threads: readStartedThreads() ?? 1 }))),
  ])
}

async function detect(name: BackendName, attempt: () => Promise<BackendStatus['details']>): Promise<BackendStatus> {
  const details = { platform: describePlatform() }
  try {
    const found = await attempt()
    const { runtime } = await describeRuntime(name)
    return { name, available: true, details: { ...details, runtime, ...found } }
  } catch (error) {
    if (!BackendUnavailableError.isInstance(error)) throw error
    return { name, available: false, reason: error.reason, remedy: error.remedy, details }
  }
}

async function tryBackend(creation: Promise<Backend>): Promise<BackendStatus['details']> {
  const backend = await creation
  const { precision } = backend
  await backend.dispose()
  return { precision }
}

async function tryProvider(name: ProviderName): Promise<BackendStatus['details']> {
  const probe = await probeProvider(name)
  if (!probe.available) throw new BackendUnavailableError(name, probe.reason, probe.remedy)
  // Only the self-test, seconds of work, would tell which of the two it is.
  return { experimental: name === 'webgpu', precision: 'float16 where the self-test shows it right, else float32' }
}
