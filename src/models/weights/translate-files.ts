import { type FileState, readFileState } from '../files/file-state.ts'
import type { MadeWeights, ModelFiles } from '../files/model-files.ts'
import { makeWeightFile, type MadeTensor } from './made-weights.ts'
import { openTensors, type ReadTensor } from './open-tensors.ts'
import type { WeightIndex } from './weight-index.ts'

/** The one file of weights that a translated checkpoint shows. */
const WEIGHTS = 'model.safetensors'
const CONFIG = 'config.json'

/** What is shown of a checkpoint whose weights are stored in a format that graphs do not read. */
export interface Translation {
  /** What its weights are shown as: stands in the name of their folder. */
  readonly form: string
  /** @returns the `config.json` of the weights that are shown */
  config(text: string): string
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
 * @param find tells by the text of `config.json` how; undefined where the files are shown as they are
 */
export function translateFiles(
  files: ModelFiles,
  find: (config: string | undefined, path: string) => Translation | undefined,
): ModelFiles {
  const path = `${files.location}/${CONFIG}`
  const start = async (): Promise<Found | undefined> => {
    const state = await readFileState(path)
    const found = find(await files.readText(CONFIG), path)
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
      if (name === CONFIG) return found.config(text)
      return name.endsWith('.safetensors.index.json') ? undefined : text
    },
    async findWeights(name) {
      if ((await translation()) === undefined) return files.findWeights(name)
      return name === WEIGHTS ? made() : undefined
    },
  }
}

async function make(files: ModelFiles, { form, tensors, state }: Found): Promise<MadeWeights> {
  const { weights, read } = await openTensors(files)
  const place = { folder: `${files.location}#${form}`, name: WEIGHTS }
  const file = makeWeightFile(await tensors(weights, read), place, weights.metadata)
  return { ...file, sources: [...weights.sources, state] }
}
