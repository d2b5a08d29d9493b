import type { Backend } from './backend.ts'
import { askInt8Products } from './int8-products.ts'
import { loadOnnxruntimeNode } from './onnxruntime-node.ts'
import { createOrtBackend, mustCompute } from './ort-backend.ts'
import { countDefaultThreads } from './platform.ts'

export interface CpuBackendOptions {
  /** Threads for one operator. Default: see `countDefaultThreads`. */
  readonly threads?: number
}

/**
 * By default the threads of a session spin while they wait for work, within a call and for a while after it. In an app
 * other work wants those processors: with one of two taken by another program, spinning made `decide` take twice the
 * processor time and 1.7 times as long; `bench/NOTES.md` has the figures and `npm run bench` measures the cost on a
 * free machine.
 */
const CONFIG = { 'session.intra_op.allow_spinning': '0' }

/**
 * The CPU of this machine through onnxruntime-node.
 *
 * @throws BackendUnavailableError when the native binding doesn't load on this platform
 */
export async function createCpuBackend(options: CpuBackendOptions = {}): Promise<Backend> {
  const ort = await loadOnnxruntimeNode('cpu')
  const int8 = await mustCompute('cpu', askInt8Products(ort))
  return createOrtBackend('cpu', ort, {
    session: {
      executionProviders: ['cpu'],
      intraOpNumThreads: options.threads ?? countDefaultThreads(),
      interOpNumThreads: 1,
      executionMode: 'sequential',
      // A second run of a shape would take one block as large as all that the first one took, which is kept as well.
      enableMemPattern: false,
    },
    config: { ...CONFIG, ...int8.config },
    kind: 'processor',
    fastInt8: process.arch === 'x64' && int8.exact,
  })
}
