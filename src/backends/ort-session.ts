import type * as Ort from 'onnxruntime-node'
import type { ElementType, Feeds, GraphModel, Session, Tensor } from './backend.ts'
import { mapValues, openSession, type OpenSession, type OrtRuntime, type OrtSessionOptions } from './open-session.ts'

export interface WritingOptions extends OrtSessionOptions {
  /** Whether the runtime writes into preallocated outputs itself; where it does not, results are copied into them. */
  readonly writesInto: boolean
}

/** A session whose results cross to JS. */
export async function createOrtSession(ort: OrtRuntime, model: GraphModel, options: WritingOptions): Promise<Session> {
  return new OrtSession(await openSession(ort, model, options), options.writesInto)
}

/** What is transferred to a port that is closed is gone. Node 20 has no other way of freeing an ArrayBuffer. */
const { port1: DISCARD } = new MessageChannel()
DISCARD.close()

class OrtSession implements Session {
  readonly inputNames: readonly string[]
  readonly outputNames: readonly string[]
  readonly #session: OpenSession
  readonly #writesInto: boolean

  constructor(session: OpenSession, writesInto: boolean) {
    this.#session = session
    this.#writesInto = writesInto
    this.inputNames = session.inputNames
    this.outputNames = session.outputNames
  }

  async run(feeds: Feeds, into: Readonly<Record<string, Tensor>> = {}): Promise<Record<string, Tensor>> {
    this.#refuseUnknownTargets(into)
    const results = await this.#session.run(feeds, this.#writesInto ? into : {})
    return mapValues(results, (result, name) => {
      const target = into[name]
      if (target === undefined) return fromOrt(result)
      if (!this.#writesInto) copyInto(target, fromOrt(result), name)
      return target
    })
  }

  free(results: Readonly<Record<string, Tensor>>): void {
    for (const { data } of Object.values(results)) DISCARD.postMessage(undefined, [data.buffer as ArrayBuffer])
  }

  dispose(): Promise<void> {
    return this.#session.dispose()
  }

  #refuseUnknownTargets(into: Readonly<Record<string, Tensor>>): void {
    for (const name of Object.keys(into)) {
      if (this.outputNames.includes(name)) continue
      throw new Error(`The graph has no output "${name}"; its outputs are ${this.outputNames.join(', ')}`)
    }
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

function copyInto(target: Tensor, result: Tensor, name: string): void {
  if (target.type !== result.type || target.data.length !== result.data.length) {
    const wanted = `${result.type} [${result.dims.join(', ')}]`
    throw new Error(`Output "${name}" is ${wanted}; the given target is ${target.type} [${target.dims.join(', ')}]`)
  }
  ;(target.data as Uint8Array).set(result.data as Uint8Array)
}
