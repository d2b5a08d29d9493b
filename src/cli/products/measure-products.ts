import type { Backend, Session } from '../../backends/index.ts'
import { throwIfAborted } from '../../errors/aborted-by.ts'
import { buildProduct, PRODUCT_FORMATS, type ProductFormat, type ProductShape } from './product-graph.ts'

/** Speeds of products with weights in one format. */
interface ProductSpeed {
  readonly format: ProductFormat
  /** 10⁹ multiplications and additions a second for each number of rows, in their order. */
  readonly gflops: readonly number[]
}

export interface ProductSpeeds extends ProductShape {
  /** How many rows are multiplied at once: a token that is generated, a few short questions, a text that is read. */
  readonly rows: readonly number[]
  readonly speeds: readonly ProductSpeed[]
}

export interface MeasureProductsOptions {
  /** @defaultValue 1,024 inputs and 3,072 outputs, a matrix of Qwen3-0.6B */
  readonly shape?: ProductShape
  /** @defaultValue 1, 32 and 256 */
  readonly rows?: readonly number[]
  /** Runs go on for so many milliseconds, opening sessions besides. @defaultValue 500 */
  readonly limitMs?: number
  readonly signal?: AbortSignal | undefined
}

const SHAPE: ProductShape = { inputs: 1024, outputs: 3072 }
const ROWS = [1, 32, 256]
const LIMIT_MS = 500
/** So many rounds are made however slow the machine is. The first one is slower than those after it. */
const LEAST_ROUNDS = 2
/** A product of few rows is repeated within a round until it has had so many. */
const ROWS_A_ROUND = 32

/**
 * Times products with weights in each format. Formats take turns, and the fastest run of each counts, so that other work on the machine falls
 * on all of them alike.
 *
 * @throws AbortedError when the signal fires, after the run at hand
 * @example
 * const { speeds } = await measureProducts(await createCpuBackend({ threads: 1 }), {})
 */
export async function measureProducts(backend: Backend, options: MeasureProductsOptions): Promise<ProductSpeeds> {
  const { shape = SHAPE, rows = ROWS, signal } = options
  const sessions: Session[] = []
  try {
    for (const format of PRODUCT_FORMATS) {
      throwIfAborted(signal)
      sessions.push(await backend.createSession(buildProduct(format, shape)))
    }
    const least = await timeInTurns(sessions, { ...options, shape, rows })
    const speeds = PRODUCT_FORMATS.map((format, i) => ({
      format,
      gflops: rows.map((count, at) => (2 * count * shape.inputs * shape.outputs) / 1e6 / least[i]![at]!),
    }))
    return { ...shape, rows, speeds }
  } finally {
    for (const session of sessions) await session.dispose()
  }
}

type Turns = MeasureProductsOptions & Required<Pick<MeasureProductsOptions, 'shape' | 'rows'>>

/** The least milliseconds of each session for each number of rows. */
async function timeInTurns(sessions: readonly Session[], { shape, rows, limitMs = LIMIT_MS, signal }: Turns) {
  const least = sessions.map(() => rows.map(() => Infinity))
  const inputs = rows.map((count) => makeRows(count, shape.inputs))
  const end = performance.now() + limitMs
  for (let round = 0; round < LEAST_ROUNDS || performance.now() < end; round++) {
    for (const [at, x] of inputs.entries()) {
      const repeats = Math.ceil(ROWS_A_ROUND / rows[at]!)
      for (const [i, session] of sessions.entries()) {
        for (let run = 0; run < repeats; run++) {
          throwIfAborted(signal)
          const started = performance.now()
          await session.run({ x })
          least[i]![at] = Math.min(least[i]![at]!, performance.now() - started)
        }
      }
    }
  }
  return least
}

function makeRows(count: number, width: number) {
  const data = Float32Array.from({ length: count * width }, (_, i) => ((i * 29) % 97) / 48 - 1)
  return { type: 'float32' as const, dims: [count, width], data }
}
