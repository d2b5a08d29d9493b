import type * as Ort from 'onnxruntime-node'
import type { BuiltGraph } from '../onnx/built-graph.ts'
import type { ElementType, Session, Tensor } from './backend.ts'
import { giveUp } from './give-up.ts'
import { holdSession, mapValues, openSession, type OrtRuntime, type OrtSessionOptions } from './open-session.ts'

/** A session whose results cross to JS. */
export async function createOrtSession(
  ort: OrtRuntime,
  model: BuiltGraph,
  options: OrtSessionOptions,
): Promise<Session> {
  const { compute, ...session } = holdSession(ort, await openSession(ort, model, options))
  return {
    ...session,
    run: async (feeds, outputs) => mapValues(await compute(feeds, outputs), fromOrt),
    free: (results) => giveUp(Object.values(results).map(({ data }) => data.buffer as ArrayBuffer)),
  }
}

function fromOrt(tensor: Ort.Tensor): Tensor {
  const data = tensor.data as Tensor['data']
  const { type, dims } = tensor as { type: ElementType; dims: readonly number[] }
  // Where the engine has Float16Array, onnxruntime answers with one; the contract holds raw bits.
  if (type !== 'float16' || data instanceof Uint16Array) return { type, dims, data }
  const half = data as ArrayBufferView<ArrayBuffer>
  return { type, dims, data: new Uint16Array(half.buffer, half.byteOffset, half.byteLength / 2) }
}
