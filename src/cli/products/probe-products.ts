import { createCpuBackend } from '../../backends/index.ts'
import { BackendUnavailableError } from '../../errors/index.ts'
import { measureProducts, type MeasureProductsOptions, type ProductSpeeds } from './measure-products.ts'

/**
 * Speeds of products on the CPU of this machine, in about a second; undefined where onnxruntime-node does not load.
 *
 * @throws AbortedError
 */
export async function probeProducts({
  threads,
  ...measuring
}: MeasureProductsOptions & { readonly threads?: number }): Promise<ProductSpeeds | undefined> {
  const backend = await createCpuBackend(threads === undefined ? {} : { threads }).catch((error: unknown) => {
    if (!BackendUnavailableError.isInstance(error)) throw error
    return undefined
  })
  if (backend === undefined) return undefined
  try {
    return await measureProducts(backend, measuring)
  } finally {
    await backend.dispose()
  }
}
