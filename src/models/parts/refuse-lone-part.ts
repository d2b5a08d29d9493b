import { basename, dirname } from 'node:path'
import { ModelFormatError } from '../../errors/index.ts'
import type { ModelFiles } from '../files/model-files.ts'
import { openFolder } from '../files/model-folder.ts'
import { indexFiles } from '../weights/index-weights.ts'
import { identifyTransformer } from './choose-naming.ts'
import { choosePart } from './part-prefix.ts'

const PUBLISHED: Readonly<Record<string, string>> = {
  ZImageTransformer2DModel: 'Tongyi-MAI/Z-Image-Turbo',
  Flux2Transformer2DModel: 'black-forest-labs/FLUX.2-klein-4B',
}

/** @throws ModelFormatError where tensors are those of a pipeline's transformer, saying what is lacking and how it is given */
export function refuseLonePart(names: Iterable<string>, path: string): void {
  const found = identifyTransformer(choosePart(names, 'transformer', path).keys())
  if (found === undefined) return
  const manifest = `{"base": "${PUBLISHED[found]}", "parts": {"transformer": "${basename(path)}"}}`
  throw new ModelFormatError(
    path,
    `a whole model; of a part, a folder whose tessera.json is such as ${manifest}`,
    `a ${found} alone, without text_encoder, vae, tokenizer and scheduler`,
  )
}

/** A safetensors file where a folder is expected: whatever is asked of it, it is refused by what it has. */
export function openLoneFile(path: string): ModelFiles {
  const refuse = async (): Promise<never> => {
    const { names } = await indexFiles(openFolder(dirname(path)), [basename(path)])
    refuseLonePart(names, path)
    throw new ModelFormatError(path, 'the folder of a model', 'a file of weights, without its config.json')
  }
  const files = { location: path, name: basename(path), readText: refuse, findWeights: refuse, made: refuse }
  return { ...files, within: () => ({ ...files, within: () => openLoneFile(path) }) }
}
