import { openCpu } from '../open-cpu.ts'
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
  const backend = await openCpu(threads === undefined ? {} : { threads })
  if (backend === undefined) return undefined
  try {
    return await measureProducts(backend, measuring)
  } finally {
    await backend.dispose()
  }
}
