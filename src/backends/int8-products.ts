import type { BuiltGraph } from '../onnx/built-graph.ts'
import { GraphBuilder } from '../onnx/graph-builder.ts'
import { gemmInt8 } from '../onnx/ops/integer-products.ts'
import type { OrtRuntime } from './open-session.ts'
import { createOrtSession } from './ort-session.ts'

/** A row and a column of the largest bytes; two of their products together need 17 bits. */
const WIDTH = 64
const [UNSIGNED, SIGNED] = [255, 127]

export interface Int8Products {
  /** Whether they are right by themselves. */
  readonly exact: boolean
  /** What sessions are opened with, so that they are right in any case. */
  readonly config: Readonly<Record<string, string>>
}

/**
 * Asks whether products of unsigned with signed bytes come out right on this machine's processor. They do not on x86 processors without VNNI: their
 * kernel adds pairs of products in 16 bits. `session.x64quantprecision` then has onnxruntime take a slower kernel. It does so
 * on processors that need none, too, so it must not be set on those.
 */
export async function askInt8Products(ort: OrtRuntime): Promise<Int8Products> {
  const session = await createOrtSession(ort, buildProduct(), {
    session: { executionProviders: ['cpu'], intraOpNumThreads: 1 },
  })
  const { y } = await session.run({
    a: { type: 'uint8', dims: [1, WIDTH], data: new Uint8Array(WIDTH).fill(UNSIGNED) },
  })
  await session.dispose()
  const exact = y?.data[0] === WIDTH * UNSIGNED * SIGNED
  return { exact, config: { 'session.x64quantprecision': exact ? '0' : '1' } }
}

function buildProduct(): BuiltGraph {
  const g = new GraphBuilder('int8')
  const unit = { step: g.scalar(1, 'float32'), zero: g.scalar(0, 'uint8') }
  const b = g.initializer('b', 'int8', [1, WIDTH], new Int8Array(WIDTH).fill(SIGNED))
  const scales = g.initializer('b.scales', 'float32', [1], Float32Array.of(1))
  g.output('y', gemmInt8(g, g.input('a', 'uint8', [1, WIDTH]), unit, b, scales, 1), 'float32', [1, 1])
  return g.build()
}
