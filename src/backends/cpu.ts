import type { Backend } from './backend.ts'
import { createOrtBackend } from './ort-backend.ts'
import { loadOnnxruntimeNode } from './onnxruntime-node.ts'
import { countDefaultThreads } from './platform.ts'

export interface CpuBackendOptions {
  /** Threads for one operator. Default: see `countDefaultThreads`. */
  readonly threads?: number
}

/**
 * The CPU of this machine through onnxruntime-node.
 *
 * @throws BackendUnavailableError when the native binding doesn't load on this platform
 */
export async function createCpuBackend(options: CpuBackendOptions = {}): Promise<Backend> {
  const ort = await loadOnnxruntimeNode('cpu')
  return createOrtBackend('cpu', ort, {
    session: {
      executionProviders: ['cpu'],
      intraOpNumThreads: options.threads ?? countDefaultThreads(),
      interOpNumThreads: 1,
      executionMode: 'sequential',
    },
    writesInto: true,
  })
}
