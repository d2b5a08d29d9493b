import type * as Ort from 'onnxruntime-node'
import type { BuiltGraph } from '../onnx/built-graph.ts'
import type { DeviceTensor, ElementType, Feeds, Tensor } from './backend.ts'
import { nameFullDevice } from './full-device.ts'

/** The part of the API that onnxruntime-node and onnxruntime-web have in common. */
export type OrtRuntime = Pick<typeof Ort, 'InferenceSession' | 'Tensor' | 'env'>

export interface OrtSessionOptions {
  readonly session: Ort.InferenceSession.SessionOptions
  /** Entries of onnxruntime's session configuration, all values as text. */
  readonly config?: Readonly<Record<string, string>>
}

/** Opens a session for a model made in memory. Weights stay in the files they are in and are mapped by the runtime. */
export async function openSession(
  ort: OrtRuntime,
  model: BuiltGraph,
  options: OrtSessionOptions,
): Promise<Ort.InferenceSession> {
  const config = { ...options.config }
  if (model.folder !== undefined && model.files === undefined) {
    config['session.model_external_initializers_file_folder_path'] = model.folder
  }
  return ort.InferenceSession.create(model.bytes, {
    ...options.session,
    ...(model.files && { externalData: [...model.files] }),
    // The native binding throws when `extra` is present without being an object, so it always is one.
    extra: nestConfig(config),
  })
}

/** The common part of sessions, wherever their results are. */
export function holdSession(ort: OrtRuntime, session: Ort.InferenceSession) {
  const { inputNames, outputNames } = session
  let held: Ort.InferenceSession | undefined = session
  return {
    inputNames,
    outputNames,
    async compute(
      feeds: Feeds,
      outputs: readonly string[] = outputNames,
    ): Promise<Readonly<Record<string, Ort.Tensor>>> {
      if (held === undefined) throw new Error('This session is disposed; open a new one before running it')
      const fed = mapValues(feeds, (feed) => toOrt(ort, feed))
      return held.run(fed, outputs).catch((error: unknown) => {
        throw nameFullDevice(error)
      })
    },
    async dispose(): Promise<void> {
      const closing = held
      held = undefined
      await closing?.release()
    },
  }
}

function toOrt(ort: OrtRuntime, feed: Tensor | DeviceTensor): Ort.Tensor {
  if (feed instanceof OrtDeviceTensor) return feed.tensor
  const { type, data, dims } = feed as Tensor
  if (type !== 'float16') return new ort.Tensor(type, data as Uint8Array, dims)
  // A tensor that is made as float16 gets a Float16Array where the engine has those (Node 24, browsers), of which the
  // native binding reads nothing: https://github.com/microsoft/onnxruntime/pull/32323
  return Object.assign(new ort.Tensor('uint16', data as Uint16Array, dims), { type })
}

export class OrtDeviceTensor implements DeviceTensor {
  readonly location = 'device'
  readonly type: ElementType
  readonly dims: readonly number[]
  readonly tensor: Ort.Tensor

  constructor(tensor: Ort.Tensor) {
    this.tensor = tensor
    this.type = tensor.type as ElementType
    this.dims = tensor.dims
  }
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

export function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  change: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
}
