import type { ProductsReport } from '../products/format-products.ts'
import type { BackendFigures } from './measure-backend.ts'

export interface Benchmark {
  readonly environment: {
    readonly tessera: string
    readonly node: string
    readonly platform: string
    readonly cpu: string
    readonly processors: number
    readonly threads: number
    /** Processes that were running before the start, on average over a minute. */
    readonly load: number
  }
  /** Best of several runs on the CPU, through the runtime that also runs the models; absent where it does not load. */
  readonly limits?: { readonly float32_gflops: number; readonly int8_gflops: number; readonly memory_gbs: number }
  /** What products cost with weights in each format; absent likewise. */
  readonly products?: ProductsReport
  readonly backends: readonly BackendFigures[]
}
