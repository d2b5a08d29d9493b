/**
 * Shows how onnxruntime's fused attention weighs its keys on this machine's WebGPU device:
 *
 *     node scripts/run-ts.mjs scripts/webgpu-attention.ts
 *
 * All queries and keys are zero, so every key counts the same; value i is 1 in place i and 0 elsewhere, so the output
 * is the weights themselves. docs/webgpu-attention.md says what they mean.
 */
import { loadOnnxruntimeNode } from '../src/backends/onnxruntime-node.ts'
import { createOrtSession } from '../src/backends/ort-session.ts'
import { buildCase, feedsOf, float, input, type OperatorCase } from '../src/backends/self-test/operator-case.ts'
import { multiHeadAttention } from '../src/onnx/ops/attention.ts'

const ort = await loadOnnxruntimeNode('webgpu')
const provider = { session: { executionProviders: ['webgpu'] } }
console.log('Weight of each group of four keys, as a multiple of the right one')
for (const [tokens, size] of [
  [24, 64],
  [32, 64],
  [40, 64],
  [64, 64],
  [40, 128],
  [40, 512],
] as const) {
  const weights = await readWeights(tokens, size)
  const groups = Array.from({ length: tokens / 4 }, (_, group) => weights[4 * group]! * tokens)
  console.log(`${tokens} tokens, head size ${size}: ${groups.map((weight) => weight.toFixed(3)).join(' ')}`)
}

async function readWeights(tokens: number, size: number): Promise<Float32Array> {
  const dims = [1, tokens, size]
  const zeros = input(float(dims, new Float32Array(tokens * size)))
  const identity = Float32Array.from({ length: tokens * size }, (_, i) => (i % size === Math.floor(i / size) ? 1 : 0))
  const operator: OperatorCase = {
    family: 'attention',
    operands: [zeros, zeros, input(float(dims, identity))],
    build: (g, query, key, value) => multiHeadAttention(g, query, key, value, 1),
    outputs: [{ dims, values: [] }],
  }
  const session = await createOrtSession(ort, buildCase(operator), provider)
  const { y0 } = await session.run(feedsOf(operator))
  await session.dispose()
  return (y0!.data as Float32Array).subarray(0, tokens)
}
