import type { BackendName } from '../backends/backend.ts'
import { BackendUnavailableError, type ErrorSettings } from '../errors/index.ts'

/** What the threads of a build of onnxruntime-web run, below `runtimeUrl`. */
const SCRIPTS = { wasm: 'ort-wasm-simd-threaded.mjs', webgpu: 'ort-wasm-simd-threaded.asyncify.mjs' } as const

/** What is wrong with the file itself onnxruntime says with more detail, so that it may speak first. In milliseconds. */
const PRECEDENCE = 1000

/**
 * Ends the wait for a start of onnxruntime with threads that the browser does not allow: it would wait for them without
 * end. A worker of the same script meets the same refusal, and tells of it.
 *
 * @throws BackendUnavailableError, and what the start throws
 */
export async function watchThreads<T>(
  name: Extract<BackendName, 'wasm' | 'webgpu'>,
  runtimeUrl: string,
  start: Promise<T>,
): Promise<T> {
  const script = `${runtimeUrl}${SCRIPTS[name]}`
  const address = addressFor(script)
  let probe: Worker | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const refusal = new Promise<never>((_, reject) => {
    const remedy =
      `let the server of ${script} answer with the Cross-Origin-Embedder-Policy that the page has, and the ` +
      'Content-Security-Policy allow workers of it (worker-src; of another origin: blob:) without Trusted Types, or set threads to 1'
    const refusedFor = (settings?: ErrorSettings) =>
      new BackendUnavailableError(name, 'the browser starts no threads of it', remedy, settings)
    try {
      probe = new Worker(address, { type: 'module', name: 'tessera-probe' })
      probe.addEventListener('error', () => {
        timer = setTimeout(() => reject(refusedFor()), PRECEDENCE)
      })
    } catch (cause) {
      reject(refusedFor({ cause }))
    }
  })
  try {
    return await Promise.race([start, refusal])
  } finally {
    clearTimeout(timer)
    probe?.terminate()
    if (address !== script) URL.revokeObjectURL(address)
  }
}

/** Workers are of the page's own origin; onnxruntime puts a script of another one into a blob. */
function addressFor(script: string): string {
  if (new URL(script).origin === location.origin) return script
  return URL.createObjectURL(new Blob([], { type: 'text/javascript' }))
}
