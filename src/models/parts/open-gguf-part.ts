import { ModelFormatError } from '../../errors/index.ts'
import { identifyModel } from '../configs/model-config.ts'
import { readConfig } from '../configs/read-config.ts'
import { readFileState } from '../files/file-state.ts'
import type { MadeWeights, ModelFiles } from '../files/model-files.ts'
import { withoutQuantization } from '../fp8/fp8-method.ts'
import { describeBlocks } from '../gguf/describe-blocks.ts'
import { type GgufFile, readGguf } from '../gguf/gguf-file.ts'
import { GgufMetadata } from '../gguf/gguf-metadata.ts'
import { type Matrices, translateTensor, type TranslatedTensor } from '../gguf/gguf-tensors.ts'
import { openGguf } from '../gguf/open-gguf.ts'
import type { PipelinePart } from '../pipeline-parts.ts'
import { findMatrices } from '../quantize/find-matrices.ts'
import { makeWeightFile } from '../weights/made-weights.ts'
import { chooseNaming, requireTransformer } from './choose-naming.ts'
import { anyJson, showMade } from './part-files.ts'
import type { PartPlace } from './part-place.ts'
import { choosePart } from './part-prefix.ts'
import { renameTensors } from './rename-tensors.ts'
import type { Naming } from './tensor-naming.ts'

/**
 * A part whose weights are a GGUF file. That of a text encoder says itself what it is; of the others only the tensors are there.
 *
 * @param matrices what quantised ones become
 * @throws ModelFormatError when the file is damaged or of another model
 */
export async function openGgufPart(
  part: PipelinePart,
  { texts, folder, file }: PartPlace & { readonly file: string },
  matrices: Matrices,
): Promise<ModelFiles> {
  if (part === 'text_encoder') return openTextEncoder(folder, file, matrices)
  const configPath = `${texts.location}/config.json`
  const configState = await readFileState(configPath)
  const config = await readConfig(texts, 'config.json', anyJson, 'the configuration of a model')
  const gguf = await readGguf(folder, file)
  const { naming, architectures } = chooseNaming(config)
  const architecture = new GgufMetadata(gguf, 'general.').optionalText('architecture')
  if (architecture !== undefined && !architectures.includes(architecture)) {
    const expected = `general.architecture ${architectures.join(', ')} or none`
    throw new ModelFormatError(gguf.path, expected, architecture.slice(0, 200))
  }
  const names = choosePart(gguf.tensors.keys(), part, gguf.path)
  if (part === 'transformer') requireTransformer(names.keys(), config['_class_name'], gguf.path)
  const plain = withoutQuantization(config)
  const pattern = part === 'vae' ? undefined : findMatrices(identifyModel(plain, gguf.path))
  const stored = new Map(
    Array.from(names, ([name, source]) => {
      const keep = matrices === 'blocks' && pattern !== undefined && isMatrix(name, naming, pattern)
      return [name, readTensor(gguf, name, source, keep ? 'blocks' : 'floats')] as const
    }),
  )
  const tensors = renameTensors(stored, naming, gguf.path)
  const made: MadeWeights = {
    ...makeWeightFile(tensors, `${gguf.path}#${part}`),
    path: gguf.path,
    sources: [...gguf.sources, configState],
    part: { name: part, config: configPath },
  }
  return showMade(texts, made, { ...plain, ...describeBlocks(tensors) })
}

function openTextEncoder(folder: ModelFiles, file: string, matrices: Matrices): ModelFiles {
  const files = openGguf(folder, file, matrices)
  const made = async () => ({ ...(await files.made!())!, path: `${folder.location}/${file}` })
  return { ...files, made }
}

/** Only what graphs read in fewer bits stays in blocks. */
function isMatrix(name: string, naming: Naming, pattern: RegExp): boolean {
  return naming(name).every((target) => pattern.test(target.name))
}

function readTensor(gguf: GgufFile, name: string, source: string, matrices: Matrices): TranslatedTensor[] {
  const tensor = gguf.tensors.get(source)!
  const shape = readShape(gguf, source) ?? tensor.shape
  const isSame = shape.length === tensor.shape.length && shape.every((dim, i) => dim === tensor.shape[i])
  if (!isSame && (tensor.type.elements > 1 || product(shape) !== product(tensor.shape))) {
    const got = `[${tensor.shape}] of ${tensor.type.name}`
    throw new ModelFormatError(
      gguf.path,
      `${source.slice(0, 200)} in rows of its own shape [${shape.slice(0, 8)}]`,
      got,
    )
  }
  return translateTensor(name, { ...tensor, shape }, matrices)
}

/** Tensors that were laid out otherwise, so that rows are whole blocks, have their own shape in the metadata. */
function readShape(gguf: GgufFile, name: string): readonly number[] | undefined {
  const key = `comfy.gguf.orig_shape.${name}`
  if (!gguf.metadata.has(key)) return undefined
  return [...new GgufMetadata(gguf).numbers(key)]
}

function product(shape: readonly number[]): number {
  return shape.reduce((all, dim) => all * dim, 1)
}
