import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { BackendUnavailableError } from '../errors/index.ts'
import type { Backend, GraphModel } from './backend.ts'
import { createOrtBackend } from './ort-backend.ts'
import type { OrtRuntime } from './ort-session.ts'
import { countDefaultThreads } from './platform.ts'

/** Largest typed array that WebAssembly with 32-bit addresses can hold beside the rest of its heap. */
const MAX_FILE_BYTES = 2 ** 31 - 1

/**
 * onnxruntime's plain WebAssembly build inside Node: several times slower than `cpu`, but without native code. The
 * .wasm file comes from the installed package, never from the network. Weights are read into memory.
 *
 * @throws BackendUnavailableError when onnxruntime-web is not installed or WebAssembly does not start
 */
export async function createWasmBackend(options: { threads?: number } = {}): Promise<Backend> {
  const ort = await loadOnnxruntimeWeb()
  // A setting of the loaded runtime, not of a session; it holds from the first session on.
  ort.env.wasm.numThreads = options.threads ?? countDefaultThreads()
  const backend = await createOrtBackend('wasm', ort, {
    session: { executionProviders: ['wasm'] },
    // onnxruntime-web accepts preallocated outputs in CPU memory and then leaves them untouched.
    writesInto: false,
  })
  return readingFiles(backend)
}

/**
 * Loads onnxruntime-web's Node build on first use.
 *
 * @throws BackendUnavailableError when it is not installed
 */
export async function loadOnnxruntimeWeb(): Promise<OrtRuntime> {
  try {
    return (await import('onnxruntime-web')) as unknown as OrtRuntime
  } catch (cause) {
    const reason = `onnxruntime-web does not load (${(cause as Error).message})`
    throw new BackendUnavailableError('wasm', reason, 'npm install onnxruntime-web', { cause })
  }
}

/** WebAssembly sees no file system, so the weight files that a model names are handed over with it. */
function readingFiles(backend: Backend): Backend {
  return {
    name: backend.name,
    inPlace: backend.inPlace,
    createSession: async (model) => backend.createSession(await readReferencedFiles(model)),
    dispose: () => backend.dispose(),
  }
}

async function readReferencedFiles(model: GraphModel): Promise<GraphModel> {
  if (model.folder === undefined || model.files !== undefined) return model
  const bytes = Buffer.from(model.bytes.buffer, model.bytes.byteOffset, model.bytes.byteLength)
  const files: { path: string; data: Uint8Array }[] = []
  for (const path of await readdir(model.folder)) {
    // External-data locations are plain names inside the model, so a file that it doesn't mention isn't used by it.
    if (!bytes.includes(path)) continue
    const file = join(model.folder, path)
    const { size } = await stat(file)
    if (size > MAX_FILE_BYTES) {
      const reason = `${file} has ${size} bytes and WebAssembly takes at most ${MAX_FILE_BYTES}`
      throw new BackendUnavailableError('wasm', reason, 'use a smaller or quantised model, or another backend')
    }
    files.push({ path, data: await readFile(file) })
  }
  return { bytes: model.bytes, files }
}
