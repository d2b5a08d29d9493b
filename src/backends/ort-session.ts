import type * as Ort from 'onnxruntime-node'
import type { ElementType, GraphModel, Session, Tensor } from './backend.ts'

/** The part of the API that onnxruntime-node and onnxruntime-web have in common. */
export type OrtRuntime = Pick<typeof Ort, 'InferenceSession' | 'Tensor' | 'env'>

export interface OrtSessionOptions {
  readonly session: Ort.InferenceSession.SessionOptions
  /** Entries of onnxruntime's session configuration, all values as text. */
  readonly config?: Readonly<Record<string, string>>
  /** Whether the runtime writes into preallocated outputs itself; where it does not, results are copied into them. */
  readonly writesInto: boolean
}

/** Opens a session for a model made in memory. Weights stay in the files they are in and are mapped by the runtime. */
export async function createOrtSession(
  ort: OrtRuntime,
  model: GraphModel,
  options: OrtSessionOptions,
): Promise<Session> {
  const config = { ...options.config }
  if (model.folder !== undefined && model.files === undefined) {
    config['session.model_external_initializers_file_folder_path'] = model.folder
  }
  const session = await ort.InferenceSession.create(model.bytes, {
    ...options.session,
    ...(model.files && { externalData: [...model.files] }),
    // The native binding throws when `extra` is present without being an object, so it always is one.
    extra: nestConfig(config),
  })
  return new OrtSession(ort, session, options.writesInto)
}

class OrtSession implements Session {
  readonly inputNames: readonly string[]
  readonly outputNames: readonly string[]
  readonly #ort: OrtRuntime
  readonly #writesInto: boolean
  #session: Ort.InferenceSession | undefined

  constructor(ort: OrtRuntime, session: Ort.InferenceSession, writesInto: boolean) {
    this.#ort = ort
    this.#session = session
    this.#writesInto = writesInto
    this.inputNames = session.inputNames
    this.outputNames = session.outputNames
  }

  async run(
    feeds: Readonly<Record<string, Tensor>>,
    into: Readonly<Record<string, Tensor>> = {},
  ): Promise<Record<string, Tensor>> {
    if (this.#session === undefined) throw new Error('This session is disposed; open a new one before running it')
    this.#refuseUnknownTargets(into)
    const ortFeeds = mapValues(feeds, (tensor) => this.#toOrt(tensor))
    const fetches: Record<string, Ort.Tensor | null> = {}
    for (const name of this.outputNames) {
      const target = into[name]
      fetches[name] = target && this.#writesInto ? this.#toOrt(target) : null
    }
    const results = await this.#session.run(ortFeeds, fetches)
    return mapValues(results, (result, name) => {
      const target = into[name]
      if (target === undefined) return fromOrt(result)
      if (!this.#writesInto) copyInto(target, fromOrt(result), name)
      return target
    })
  }

  async dispose(): Promise<void> {
    const session = this.#session
    this.#session = undefined
    await session?.release()
  }

  #toOrt(tensor: Tensor): Ort.Tensor {
    return new this.#ort.Tensor(tensor.type, tensor.data as Uint8Array, tensor.dims)
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

/** onnxruntime takes its dotted configuration keys as nested objects: `a.b` becomes `{ a: { b } }`. */
function nestConfig(config: Readonly<Record<string, string>>): Record<string, unknown> {
  const nested: Record<string, Record<string, string>> = {}
  for (const [key, value] of Object.entries(config)) {
    const dot = key.indexOf('.')
    const group = (nested[key.slice(0, dot)] ??= {})
    group[key.slice(dot + 1)] = value
  }
  return nested
}

function mapValues<From, To>(record: Readonly<Record<string, From>>, change: (value: From, key: string) => To) {
  const changed: Record<string, To> = {}
  for (const [key, value] of Object.entries(record)) changed[key] = change(value, key)
  return changed
}
