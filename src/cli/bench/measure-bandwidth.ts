import type { Backend } from '../../backends/index.ts'
import { GraphBuilder, single } from '../../graph/index.ts'
import { type Summary, summarize } from './statistics.ts'

/** Larger than caches are: 128 MiB read and as much written. */
const VALUES = 32 * 2 ** 20
const BYTES = 8 * VALUES

/** Bytes read and written in a second, in 10⁹, by an operator that computes next to nothing. */
export async function measureBandwidth(backend: Backend, runs: number): Promise<Summary> {
  const g = new GraphBuilder('bandwidth')
  const x = g.input('x', 'float32', [VALUES])
  g.output('y', single(g.node('Neg', [x])), 'float32', [VALUES])
  const session = await backend.createSession(g.build())
  const feed = { type: 'float32' as const, dims: [VALUES], data: new Float32Array(VALUES).fill(1) }
  const target = { type: 'float32' as const, dims: [VALUES], data: new Float32Array(VALUES).fill(1) }
  const rates: number[] = []
  for (let run = 0; run <= runs; run++) {
    const started = performance.now()
    await session.run({ x: feed }, { y: target })
    if (run > 0) rates.push(BYTES / 1e6 / (performance.now() - started))
  }
  await session.dispose()
  return summarize(rates)
}
