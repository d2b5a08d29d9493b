import type { Backend } from '../backends/backend.ts'
import type { SymbolOptions } from '../decide/decision-family.ts'
import type { EngineSettings } from '../engine/options/resolve-options.ts'
import { describeTask, openTask } from '../engine/worker/open-task.ts'
import type { ModelDescription, OpenContext, ResolvedModel, Task, TaskSource } from '../engine/worker/task.ts'
import { InvalidRequestError, ModelFormatError, ModelNotFoundError } from '../errors/index.ts'
import type { PictureCodec } from '../images/picture/picture-codec.ts'
import { AGENT_FILE } from '../models/configs/model-config.ts'
import type { ModelFiles } from '../models/files/model-files.ts'
import { isWeightsPath } from '../models/gguf/gguf-path.ts'
import { forgetKept } from './kept-files.ts'
import { openUrl } from './model-url.ts'
import { weighUrl } from './weigh-url.ts'
import { WeightStore } from './weight-store.ts'

/**
 * Models below URLs. A request may give the names that the options list; all others are served by the job's default, if that is listed.
 */
export function createWebTaskSource({ models, symbols }: EngineSettings, weights = new WeightStore()): TaskSource {
  // A call resolves a model for itself alone, so that nothing here is older than the call.
  const described = new WeakMap<ResolvedModel, Described>()
  return {
    names: Object.keys(models),
    // Where there is no fallback, what is not found is the name that was asked for.
    nameOf: (given, fallback) => (Object.hasOwn(models, given) || !Object.hasOwn(models, fallback) ? given : fallback),
    async resolve(name) {
      // A name that every object has, such as `constructor`, is not one of a model.
      const url = Object.hasOwn(models, name) ? models[name] : undefined
      if (url !== undefined && isWeightsPath(url)) {
        const expected =
          'the URL of a folder with config.json and safetensors, as `npx tessera-onnx quantize` makes one of a GGUF file'
        throw new ModelFormatError(url, expected, 'that of one file, which browsers do not read')
      }
      if (url !== undefined) return { id: url.split('/').at(-1)!, folder: url }
      throw new ModelNotFoundError(name, ['`modelsUrl` and `models` of createEngine()'], callFor(`'${name}'`))
    },
    describe: (model, signal) =>
      forgetBroken(model, async () => {
        const absent = new Set<string>()
        const files = openUrl(model.folder, weights, { absent, ...(signal && { signal }) })
        const description = await describe(model.id, files, { symbols, signal })
        described.set(model, { bytes: description.bytes, absent })
        return description
      }),
    open: (model, backend, context) =>
      forgetBroken(model, () => open(model, { weights, symbols, known: described.get(model) }, backend, context)),
  }
}

/**
 * What is wrong with a file may be wrong with the copy that is kept: a connection that ends early looks like the end of a
 * file whose server does not say how long it is.
 */
async function forgetBroken<T>({ folder }: ResolvedModel, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (ModelFormatError.isInstance(error) && error.file.startsWith(`${folder}/`)) await forgetKept(error.file)
    throw error
  }
}

/** The call that says where a model is. The embedded ones, which most pages ask for, need one option for all. */
function callFor(name: string): string {
  return `createEngine({ modelsUrl: 'URL of node_modules/tessera-onnx/models' }), or with models: { ${name}: 'URL of its folder' }`
}

interface Describing {
  readonly symbols?: SymbolOptions | undefined
  readonly signal?: AbortSignal | undefined
}

async function describe(id: string, files: ModelFiles, { symbols, signal }: Describing): Promise<ModelDescription> {
  const weigh = async (kind: ModelDescription['kind']) => {
    if (kind === 'decisions' && !(await hasAny(files, DECISION_FILES))) {
      const tried = ['model_index.json', ...DECISION_FILES].map((name) => `${files.location}/${name}`)
      throw new ModelNotFoundError(id, tried, callFor('name'))
    }
    return weighUrl(files, kind, signal)
  }
  return describeTask(files, weigh, symbols)
}

/** One of these is in the folder of every decision model. */
const DECISION_FILES = ['config.json', AGENT_FILE]

async function hasAny(files: ModelFiles, names: readonly string[]): Promise<boolean> {
  for (const name of names) if ((await files.readText(name)) !== undefined) return true
  return false
}

/** What describing a model has told, which opening it need not ask its server again. */
interface Described {
  readonly bytes: number
  /** URLs of texts that are not there. */
  readonly absent: Set<string>
}

interface Opening {
  readonly weights: WeightStore
  readonly symbols: SymbolOptions | undefined
  readonly known: Described | undefined
}

async function open(
  model: ResolvedModel,
  { weights, symbols, known }: Opening,
  backend: Backend,
  { signal, onProgress, withoutWeights = false }: OpenContext,
): Promise<Task> {
  if (model.lora) throw new InvalidRequestError('lora', 'adapters are not read in browsers; leave it out')
  // Loading has a signal of its own: where opening fails, what is still being loaded is of no use either.
  const loading = new AbortController()
  const stop = () => loading.abort(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  let [done, bytes] = [0, 0]
  const onBytes = (length: number) => {
    done += length
    // A server that compresses files names a smaller size than arrives.
    const total = Math.max(done, bytes)
    // Without a size from the server nothing is known before the first bytes, and a share of nothing is no number.
    if (total > 0) onProgress({ stage: 'downloading', done, total })
  }
  weights.hold(model.folder)
  try {
    const absent = known?.absent ?? new Set()
    const files = openUrl(model.folder, weights, { signal: loading.signal, onBytes, inParts: withoutWeights, absent })
    bytes = known?.bytes ?? (await describe(model.id, files, { signal: loading.signal })).bytes
    return await openTask(files, backend, loadCanvasCodec, { symbols })
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
    weights.release(model.folder)
  }
}

async function loadCanvasCodec(): Promise<PictureCodec> {
  return (await import('./canvas-codec.ts')).canvasCodec
}
