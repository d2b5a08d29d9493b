import type { Backend } from '../../backends/index.ts'
import { GraphBuilder } from '../../graph/index.ts'
import { type Summary, summarize } from './statistics.ts'

/** Larger than most caches are: 512 MiB, in rows that threads share. */
const ROWS = 1024
const COLUMNS = 128 * 1024
const BYTES = 4 * ROWS * COLUMNS

/**
 * Bytes read in a second, in 10⁹, by an operator that computes next to nothing. Its result is small, since onnxruntime-node
 * copies results to memory that it has never touched, which would take longer than reading.
 */
export async function measureBandwidth(backend: Backend, runs: number): Promise<Summary> {
  const g = new GraphBuilder('bandwidth')
  const x = g.input('x', 'float32', [ROWS, COLUMNS])
  g.output('y', g.node('ReduceMax', [x, g.integers([-1])], { attributes: { keepdims: { int: 0 } } }), 'float32', [ROWS])
  const session = await backend.createSession(g.build())
  const feed = { type: 'float32' as const, dims: [ROWS, COLUMNS], data: new Float32Array(ROWS * COLUMNS).fill(1) }
  const rates: number[] = []
  for (let run = 0; run <= runs; run++) {
    const started = performance.now()
    await session.run({ x: feed })
    if (run > 0) rates.push(BYTES / 1e6 / (performance.now() - started))
  }
  await session.dispose()
  return summarize(rates)
}
