import { ModelFormatError } from '../../errors/index.ts'
import type { FileState } from '../files/file-state.ts'
import type { ModelFiles } from '../files/model-files.ts'
import { findGgufFamily } from '../language-models/families.ts'
import { refuseLonePart } from '../parts/refuse-lone-part.ts'
import { decodeFloats } from '../weights/decode-floats.ts'
import { makeWeightFile, SHOWN_WEIGHTS } from '../weights/made-weights.ts'
import { describeBlocks } from './describe-blocks.ts'
import { writeConfig } from './gguf-config.ts'
import { type GgufFile, readGguf } from './gguf-file.ts'
import { GgufMetadata } from './gguf-metadata.ts'
import { type Matrices, ROPE_FACTORS, translateTensors, type TranslatedTensor } from './gguf-tensors.ts'
import { writeTokenizer, writeTokenizerConfig } from './gguf-tokenizer.ts'

/** What a GGUF file stands for: the texts of a checkpoint as transformers publishes it, and its weights. */
interface Translation {
  /** By file name. */
  readonly texts: ReadonlyMap<string, () => string>
  readonly tensors: readonly TranslatedTensor[]
  readonly sources: readonly FileState[]
}

/**
 * A GGUF language model as the files of a checkpoint in safetensors, made from it as they are read. Nothing is read before
 * that, and then nothing but headers until it is weights.
 *
 * @param folder files of the folder that it is in
 * @param file its name there, of a divided one that of its first part
 * @param matrices what quantised ones become. @defaultValue 'blocks'
 */
export function openGguf(folder: ModelFiles, file: string, matrices: Matrices = 'blocks'): ModelFiles {
  let opening: Promise<Translation> | undefined
  const open = () => (opening ??= translate(folder, file, matrices))
  const location = `${folder.location}/${file}`
  const made = async () => {
    const { tensors, sources } = await open()
    return { ...makeWeightFile(tensors, location, { format: 'pt' }), sources }
  }
  return {
    location,
    name: file.replace(/(-00001-of-\d{5})?\.gguf$/i, ''),
    made,
    readText: async (name) => (await open()).texts.get(name)?.(),
    findWeights: async (name) => (name === SHOWN_WEIGHTS ? made() : undefined),
    within: (name) => ({ ...NOTHING, location: `${location}/${name}`, name }),
  }
}

/** A GGUF file has no folders. */
const NOTHING = {
  readText: async () => undefined,
  findWeights: async () => undefined,
  within: (name: string): ModelFiles => ({ ...NOTHING, location: name, name }),
}

async function translate(folder: ModelFiles, file: string, matrices: Matrices): Promise<Translation> {
  const gguf = await readGguf(folder, file)
  refuseLonePart(gguf.tensors.keys(), gguf.path)
  const general = new GgufMetadata(gguf, 'general.')
  const family = findGgufFamily(general.text('architecture'), gguf.path)
  const tensors = translateTensors(gguf, family, matrices)
  const quantization = describeBlocks(tensors)
  const config = { ...writeConfig(gguf, family, await readRopeFactors(gguf)), ...quantization }
  const licence = general.optionalText('license')
  const texts = new Map([
    ['config.json', () => JSON.stringify(config, undefined, 2)],
    ['tokenizer.json', () => JSON.stringify(writeTokenizer(gguf))],
    ['tokenizer_config.json', () => JSON.stringify(writeTokenizerConfig(gguf), undefined, 2)],
  ])
  if (licence !== undefined) texts.set('README.md', () => `---\nlicense: ${licence.slice(0, 100)}\n---\n`)
  return { texts, tensors, sources: gguf.sources }
}

/** More than half of any head's pairs. */
const MOST_FACTORS = 1024

async function readRopeFactors(gguf: GgufFile): Promise<Float32Array | undefined> {
  const stored = gguf.tensors.get(ROPE_FACTORS)
  if (stored === undefined) return undefined
  if (stored.type.name === 'F32' && stored.length <= 4 * MOST_FACTORS) {
    return decodeFloats(await stored.file.read(stored.offset, stored.length), 'F32')
  }
  const expected = `at most ${MOST_FACTORS} numbers of F32 in ${ROPE_FACTORS}`
  throw new ModelFormatError(gguf.path, expected, `[${stored.shape}] of ${stored.type.name}`)
}
