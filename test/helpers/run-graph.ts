import type { Backend, Tensor } from '../../src/backends/backend.ts'
import type { BuiltGraph } from '../../src/onnx/built-graph.ts'

/** Opens a session, runs it once and frees it. */
export async function runGraph(
  backend: Backend,
  model: BuiltGraph,
  feeds: Readonly<Record<string, Tensor>>,
): Promise<Record<string, Tensor>> {
  const session = await backend.createSession(model)
  try {
    return await session.run(feeds)
  } finally {
    await session.dispose()
  }
}

export function float32(data: Float32Array, ...dims: readonly number[]): Tensor {
  return { type: 'float32', dims, data }
}

export function int64(values: readonly number[], ...dims: readonly number[]): Tensor {
  return { type: 'int64', dims, data: BigInt64Array.from(values, BigInt) }
}
