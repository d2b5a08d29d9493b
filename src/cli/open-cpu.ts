import { type Backend, createCpuBackend } from '../backends/index.ts'
import { BackendUnavailableError } from '../errors/index.ts'

/** The processor as a backend; undefined where onnxruntime-node does not load. */
export async function openCpu(options: Parameters<typeof createCpuBackend>[0]): Promise<Backend | undefined> {
  return createCpuBackend(options).catch((error: unknown) => {
    if (!BackendUnavailableError.isInstance(error)) throw error
    return undefined
  })
}
