import { parseJson, tryParseJson } from '../configs/parse-json.ts'
import { type FileState, readFileState } from '../files/file-state.ts'
import type { MadeWeights, ModelFiles } from '../files/model-files.ts'
import { makeWeightFile, type MadeTensor, SHOWN_WEIGHTS } from './made-weights.ts'
import { openTensors, type ReadTensor } from './open-tensors.ts'
import type { WeightIndex } from './weight-index.ts'

const CONFIG = 'config.json'

/** What is shown of a checkpoint whose weights are stored in a format that graphs do not read. */
export interface Translation {
  /** What its weights are shown as: stands in the name of their folder. */
  readonly form: string
  /** The `config.json` of the weights that are shown. @defaultValue the stored one */
  config?(stored: Readonly<Record<string, unknown>>): object
  /** @throws ModelFormatError naming a tensor that cannot be translated */
  tensors(weights: WeightIndex, read: ReadTensor): readonly MadeTensor[] | Promise<readonly MadeTensor[]>
}

interface Found extends Translation {
  /** Of the file that says so. */
  readonly state: FileState
}

/**
 * The files of a folder; of one that is to be translated, a checkpoint whose weights are made as they are read.
 *
 * @param find tells by the parsed `config.json`, undefined for what is none, how; undefined where the files are shown as they are
 */
export function translateFiles(
  files: ModelFiles,
  find: (stored: unknown, path: string) => Translation | undefined,
): ModelFiles {
  const path = `${files.location}/${CONFIG}`
  const start = async (): Promise<Found | undefined> => {
    const state = await readFileState(path)
    const found = find(tryParseJson(await files.readText(CONFIG)), path)
    return found && { ...found, state }
  }
  let finding: Promise<Found | undefined> | undefined
  const translation = () => (finding ??= start())
  let making: Promise<MadeWeights> | undefined
  async function made(): Promise<MadeWeights | undefined> {
    const found = await translation()
    return found === undefined ? files.made?.() : (making ??= make(files, found))
  }
  return {
    ...files,
    made,
    async readText(name) {
      const text = await files.readText(name)
      const found = text === undefined ? undefined : await translation()
      if (text === undefined || found === undefined) return text
      if (name === CONFIG && found.config) {
        return JSON.stringify(found.config(parseJson(text) as Record<string, unknown>), undefined, 2)
      }
      return name.endsWith('.safetensors.index.json') ? undefined : text
    },
    async findWeights(name) {
      if ((await translation()) === undefined) return files.findWeights(name)
      return name === SHOWN_WEIGHTS ? made() : undefined
    },
  }
}

async function make(files: ModelFiles, { form, tensors, state }: Found): Promise<MadeWeights> {
  const { weights, read } = await openTensors(files)
  const file = makeWeightFile(await tensors(weights, read), `${files.location}#${form}`, weights.metadata)
  return { ...file, sources: [...weights.sources, state] }
}
