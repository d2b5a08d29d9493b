import * as z from 'zod'
import type { MadeWeights, ModelFiles } from '../files/model-files.ts'
import type { PartPlace } from './part-place.ts'

/** The one file of weights that a part shows. */
const WEIGHTS = 'model.safetensors'

export const anyJson = z.looseObject({})

/** A part whose weights are as they lie. */
export function showPlace({ texts, folder, file }: PartPlace): ModelFiles {
  if (file !== undefined) return showFile(texts, folder, file)
  const isIndex = (name: string) => name.endsWith('.safetensors.index.json')
  return { ...folder, readText: (name) => (isIndex(name) ? folder : texts).readText(name) }
}

/** A part whose weights are in one file, whatever it is called. */
function showFile(texts: ModelFiles, folder: ModelFiles, file: string): ModelFiles {
  return {
    ...texts,
    readText: (name) => readText(texts, name),
    findWeights: async (name) => (name === WEIGHTS ? folder.findWeights(file) : undefined),
  }
}

/** A part whose weights are made. */
export function showMade(texts: ModelFiles, made: MadeWeights, config: string): ModelFiles {
  return {
    ...texts,
    made: async () => made,
    readText: async (name) => (name === 'config.json' ? config : readText(texts, name)),
    findWeights: async (name) => (name === WEIGHTS ? made : undefined),
  }
}

/** Shards that lie beside are those of other weights. */
async function readText(texts: ModelFiles, name: string): Promise<string | undefined> {
  return name.endsWith('.safetensors.index.json') ? undefined : texts.readText(name)
}
