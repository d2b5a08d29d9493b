import { encodeModel, type Initializer } from '../onnx/onnx-model.ts'
import type { OrtRuntime } from './open-session.ts'
import { createOrtSession } from './ort-session.ts'

/** A row and a column of the largest bytes; two of their products together need 17 bits. */
const WIDTH = 64
const [UNSIGNED, SIGNED] = [255, 127]

/**
 * Whether products of unsigned with signed bytes come out wrong, as they do on x86 processors without VNNI: their kernel
 * adds pairs of products in 16 bits. `session.x64quantprecision` then has onnxruntime take a slower kernel. It does so on
 * processors that need none, too, so it must not be set on those.
 */
export async function overflowsInt8(ort: OrtRuntime): Promise<boolean> {
  const session = await createOrtSession(
    ort,
    { bytes: buildProduct() },
    {
      session: { executionProviders: ['cpu'], intraOpNumThreads: 1 },
    },
  )
  const { y } = await session.run({
    a: { type: 'uint8', dims: [1, WIDTH], data: new Uint8Array(WIDTH).fill(UNSIGNED) },
  })
  await session.dispose()
  return y?.data[0] !== WIDTH * UNSIGNED * SIGNED
}

function buildProduct(): Uint8Array {
  const one = new Uint8Array(Float32Array.of(1).buffer)
  const initializers: Initializer[] = [
    { name: 'a_scale', type: 'float32', dims: [], data: one },
    { name: 'a_zero', type: 'uint8', dims: [], data: Uint8Array.of(0) },
    { name: 'b', type: 'int8', dims: [1, WIDTH], data: new Uint8Array(WIDTH).fill(SIGNED) },
    { name: 'b_scale', type: 'float32', dims: [1], data: one },
    { name: 'b_zero', type: 'int8', dims: [1], data: Uint8Array.of(0) },
  ]
  const inputs = ['a', ...initializers.map(({ name }) => name)]
  return encodeModel({
    name: 'int8',
    opsets: { '': 21, 'com.microsoft': 1 },
    initializers,
    inputs: [{ name: 'a', type: 'uint8', dims: [1, WIDTH] }],
    outputs: [{ name: 'y', type: 'float32', dims: [1, 1] }],
    nodes: [
      {
        name: 'y',
        opType: 'QGemm',
        domain: 'com.microsoft',
        attributes: { transB: { int: 1 } },
        inputs,
        outputs: ['y'],
      },
    ],
  })
}
