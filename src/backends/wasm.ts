import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { BackendUnavailableError, InvalidRequestError } from '../errors/index.ts'
import type { Backend } from './backend.ts'
import { handOverWeights } from './hand-over-weights.ts'
import type { OrtRuntime } from './open-session.ts'
import { createOrtBackend } from './ort-backend.ts'

/** Largest typed array that WebAssembly with 32-bit addresses can hold beside the rest of its heap. */
const MAX_FILE_BYTES = 2 ** 31 - 1

/** It starts once in a thread, and reads how many threads it has no more. */
let started: number | undefined

/** How many threads onnxruntime-web has in this thread; none before its first backend. */
export function readStartedThreads(): number | undefined {
  return started
}

/**
 * onnxruntime's plain WebAssembly build inside Node: several times slower than `cpu`, but without native code. The
 * .wasm file comes from the installed package, never from the network. Weights are read into memory.
 *
 * @throws BackendUnavailableError when onnxruntime-web is not installed or WebAssembly does not start;
 * InvalidRequestError for another number of threads than that of the backend before it in the same thread
 */
export async function createWasmBackend({ threads }: { threads: number }): Promise<Backend> {
  const ort = await loadOnnxruntimeWeb()
  started ??= threads
  if (threads !== started) {
    const reason = `must be ${started}, as of what started onnxruntime-web in this thread, which starts once; got ${threads}`
    throw new InvalidRequestError('threads', `${reason}. Without worker: false each engine has a thread of its own`)
  }
  ort.env.wasm.numThreads = threads
  const backend = await createOrtBackend('wasm', ort, {
    session: { executionProviders: ['wasm'] },
    kind: 'processor',
  })
  return handOverWeights(backend, readWeightFile)
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

async function readWeightFile(folder: string, name: string): Promise<Uint8Array> {
  const file = join(folder, name)
  const { size } = await stat(file)
  if (size <= MAX_FILE_BYTES) return readFile(file)
  const reason = `${file} has ${size} bytes and WebAssembly takes at most ${MAX_FILE_BYTES}`
  throw new BackendUnavailableError('wasm', reason, 'use a smaller or quantised model, or another backend')
}
