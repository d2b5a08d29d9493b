import { BackendUnavailableError } from '../errors/index.ts'
import type { Backend, ProviderName } from './backend.ts'
import { askInt8Products } from './int8-products.ts'
import { loadOnnxruntimeNode } from './onnxruntime-node.ts'
import { createOrtBackend, mustCompute } from './ort-backend.ts'
import { probeProvider } from './provider-probe.ts'

/**
 * A hardware provider of onnxruntime-node, after a probe showed that it computes here. Single operators that the
 * provider has no kernel for still run on the CPU, as onnxruntime places them: products of 8-bit integers on WebGPU.
 *
 * @throws BackendUnavailableError with the reason found by the probe and what helps
 */
export async function createProviderBackend(name: ProviderName, { threads }: { threads: number }): Promise<Backend> {
  const probe = await probeProvider(name)
  if (!probe.available) throw new BackendUnavailableError(name, probe.reason, probe.remedy)
  const ort = await loadOnnxruntimeNode(name)
  const int8 = await mustCompute(name, askInt8Products(ort))
  return createOrtBackend(name, ort, {
    session: {
      executionProviders: [name],
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
    },
    config: int8.config,
    kind: 'device',
  })
}
