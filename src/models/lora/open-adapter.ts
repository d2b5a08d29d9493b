import { ModelFormatError } from '../../errors/index.ts'
import { bringsTemplate, TEMPLATE_FILE } from '../chat-template.ts'
import { type FileState, readFileState } from '../files/file-state.ts'
import type { MadeWeights, ModelFiles } from '../files/model-files.ts'
import { isFloatType } from '../weights/decode-floats.ts'
import { indexFiles } from '../weights/index-weights.ts'
import { changedTensor, makeWeightFile, SHOWN_WEIGHTS, storedTensor } from '../weights/made-weights.ts'
import { openTensors } from '../weights/open-tensors.ts'
import { ADAPTER_FILE, type AdapterConfig, readAdapterConfig } from './adapter-config.ts'
import { addChange } from './change.ts'
import { readChanges } from './read-changes.ts'
import { ASKING_FILE } from './with-lora.ts'

const CHANGES = 'adapter_model.safetensors'
/** Texts beside a configuration that an adapter shows: its own, as its training may have changed them, else those of its base. */
export const SHOWN_TEXTS = [
  ASKING_FILE,
  'tokenizer.json',
  'tokenizer_config.json',
  TEMPLATE_FILE,
  'tessera.json',
  'README.md',
]

interface Opened {
  readonly config: AdapterConfig
  /** Of the file of the configuration. */
  readonly state: FileState
  readonly base: ModelFiles
}

/**
 * The files of a folder; of an adapter of peft, its base with the changes in it, made from both as it is read.
 *
 * @param openBase opens what the adapter was trained on, with float weights
 */
export function openAdapter(
  files: ModelFiles,
  openBase: (name: string, revision: string | undefined) => Promise<ModelFiles>,
): ModelFiles {
  let opening: Promise<Opened | undefined> | undefined
  async function start(): Promise<Opened | undefined> {
    if ((await files.readText('config.json')) !== undefined) return undefined
    const state = await readFileState(`${files.location}/${ADAPTER_FILE}`)
    const config = await readAdapterConfig(files)
    if (config === undefined) return undefined
    if (config.base !== undefined) return { config, state, base: await openBase(config.base, config.revision) }
    throw new ModelFormatError(`${files.location}/${ADAPTER_FILE}`, 'its base as base_model_name_or_path', 'none')
  }
  const open = () => (opening ??= start())
  let making: Promise<MadeWeights> | undefined
  async function made(): Promise<MadeWeights | undefined> {
    const adapter = await open()
    return adapter === undefined ? files.made?.() : (making ??= merge(files, adapter))
  }
  return {
    ...files,
    made,
    async readText(name) {
      const own = await files.readText(name)
      const adapter = await open()
      if (adapter === undefined || (SHOWN_TEXTS.includes(name) && own !== undefined)) return own
      if (name === TEMPLATE_FILE && (await bringsTemplate(files))) return undefined
      return adapter.base.readText(name)
    },
    async findWeights(name) {
      if ((await open()) === undefined) return files.findWeights(name)
      return name === SHOWN_WEIGHTS ? made() : undefined
    },
  }
}

async function merge(files: ModelFiles, { config, state, base }: Opened): Promise<MadeWeights> {
  const adapter = await openTensors(files, await indexFiles(files, [CHANGES]))
  const { weights, read } = await openTensors(base)
  const changes = await readChanges({ tensors: adapter, scaleOf: config.scaleOf }, { location: base.location, weights })
  const tensors = weights.names.map((name) => {
    const entry = weights.get(name)!
    const stored = storedTensor(name, entry, read)
    const own = changes.get(name)
    if (own === undefined) return stored
    if (!isFloatType(entry.dtype)) {
      throw new ModelFormatError(`${files.location}/${CHANGES}`, `a base whose ${name} is float`, entry.dtype)
    }
    return changedTensor(stored, (values, first) => own.forEach((change) => addChange(values, first, change)))
  })
  const sources = [...adapter.weights.sources, state, ...weights.sources]
  return { ...makeWeightFile(tensors, `${files.location}#merged`, weights.metadata), sources }
}
