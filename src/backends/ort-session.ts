import type * as Ort from 'onnxruntime-node'
import type { BuiltGraph } from '../onnx/built-graph.ts'
import type { ElementType, Feeds, Session, Tensor } from './backend.ts'
import { mapValues, openSession, SessionBase, type OrtRuntime, type OrtSessionOptions } from './open-session.ts'

/** A session whose results cross to JS. */
export async function createOrtSession(
  ort: OrtRuntime,
  model: BuiltGraph,
  options: OrtSessionOptions,
): Promise<Session> {
  return new OrtSession(ort, await openSession(ort, model, options))
}

/** What is transferred to a port that is closed is gone. Node 20 has no other way of freeing an ArrayBuffer. */
const { port1: DISCARD } = new MessageChannel()
DISCARD.close()

class OrtSession extends SessionBase implements Session {
  async run(feeds: Feeds, outputs?: readonly string[]): Promise<Record<string, Tensor>> {
    return mapValues(await this.compute(feeds, outputs), fromOrt)
  }

  free(results: Readonly<Record<string, Tensor>>): void {
    for (const { data } of Object.values(results)) DISCARD.postMessage(undefined, [data.buffer as ArrayBuffer])
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
