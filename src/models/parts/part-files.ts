import * as z from 'zod'
import type { MadeWeights, ModelFiles } from '../files/model-files.ts'
import { SHOWN_WEIGHTS } from '../weights/made-weights.ts'
import type { PartPlace } from './part-place.ts'

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
    findWeights: async (name) => (name === SHOWN_WEIGHTS ? folder.findWeights(file) : undefined),
  }
}

/** A part whose weights are made. */
export function showMade(texts: ModelFiles, made: MadeWeights, config: object): ModelFiles {
  const text = JSON.stringify(config, undefined, 2)
  return {
    ...texts,
    made: async () => made,
    readText: async (name) => (name === 'config.json' ? text : readText(texts, name)),
    findWeights: async (name) => (name === SHOWN_WEIGHTS ? made : undefined),
  }
}

/** Shards that lie beside are those of other weights. */
async function readText(texts: ModelFiles, name: string): Promise<string | undefined> {
  return name.endsWith('.safetensors.index.json') ? undefined : texts.readText(name)
}
