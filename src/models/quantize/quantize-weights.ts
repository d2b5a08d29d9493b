import { randomUUID } from 'node:crypto'
import { copyFile, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { extname, join, resolve } from 'node:path'
import * as z from 'zod'
import { InvalidRequestError, ModelFormatError } from '../../errors/index.ts'
import { readModelConfig } from '../configs/model-config.ts'
import { BLOCKS_FOR_ROUGH, quantizationConfigSchema, type QuantizationConfig } from '../configs/quantization-config.ts'
import { readConfig } from '../configs/read-config.ts'
import { exists } from '../files/exists.ts'
import type { ModelFiles } from '../files/model-files.ts'
import { openFolder } from '../files/model-folder.ts'
import { isGgufPath } from '../gguf/gguf-path.ts'
import { ADAPTER_FILE } from '../lora/adapter-config.ts'
import { SHOWN_TEXTS } from '../lora/open-adapter.ts'
import { openFloats } from '../open-model.ts'
import { indexWeights } from '../weights/index-weights.ts'
import type { WeightIndex } from '../weights/weight-index.ts'
import { findMatrices, findStorageFile } from './find-matrices.ts'
import { findRoughMatrices, type RoughMatrix } from './find-rough-matrices.ts'
import { isMatrix } from './is-matrix.ts'
import { SliceQuantizer } from './slice-quantizer.ts'
import { smoothWeights, type Smoothing } from './smooth-weights.ts'
import { writeQuantized } from './write-quantized.ts'

interface QuantizeProgress {
  readonly stage: 'quantize' | 'smooth'
  /** Bytes of the checkpoint that the work so far stands for, and all of them; while channels are looked at, layers of a language model. */
  readonly done: number
  readonly total: number
}

export interface QuantizeWeightsOptions {
  /** Checkpoint with float or FP8 weights, or a GGUF file; of these two, weights are rounded anew. */
  readonly folder: string
  /** Those of a part of a pipeline. @defaultValue the files of the folder */
  readonly files?: ModelFiles
  /** Folder to make; it must not exist yet and appears only once it is complete. */
  readonly out: string
  readonly bits: QuantizationConfig['bits']
  /**
   * Values that share a scale. Of blocks, 128 is fast on a CPU and 32 the most accurate with 4 bits. `row` (8 bits only)
   * is the fastest on a CPU, where it also rounds activations to 8 bits with one scale for a whole row of them; that is
   * less accurate where a few channels are much larger than the others. Matrices whose weights it would round too roughly stay
   * in blocks of 128. bench/NOTES.md has figures of both.
   */
  readonly blockSize: QuantizationConfig['block_size']
  /** Threads that quantise. With one it is the caller's, which is busy meanwhile. @defaultValue 1 */
  readonly threads?: number
  /**
   * Chooses how the channels of a checkpoint are smoothed before its matrices become whole rows, see `chooseSmoothing`; of other formats it
   * is not asked. @defaultValue they stay as they are
   */
  readonly chooseSmoothing?: ChooseSmoothing
  /** Has `tokenizer.json`. @defaultValue the files of the checkpoint */
  readonly tokenizer?: ModelFiles
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: (progress: QuantizeProgress) => void
}

/** Undefined where there is nothing to smooth. */
type ChooseSmoothing = (
  files: ModelFiles,
  options: { readonly tokenizer: ModelFiles; onLayer(done: number, total: number): void },
) => Promise<Smoothing | undefined>

/** What became of a checkpoint besides its files. */
export interface QuantizedCheckpoint {
  /** Matrices that stayed in blocks of 128 because whole rows would have been too rough. */
  readonly rough: readonly RoughMatrix[]
  /** Names of the norms whose channels were smoothed. */
  readonly smoothed: readonly string[]
}

/** Configuration and tokenizer of a checkpoint; weights in other formats are not copied. */
const COPIED = new Set(['.json', '.txt', '.jinja', '.model', '.md'])
const TEXT_FOLDERS = new Set(['encoder', 'tokenizer'])
/** Heads that some checkpoints have in a file of their own stay as they are. */
export const HEAD_FILE = 'head.safetensors'

/**
 * Writes a checkpoint with its matrices (linear and embedding weights that its family names) as 4- or 8-bit integers and everything else
 * unchanged; see `quantizationConfigSchema` for the storage. Memory stays bounded whatever the size of the
 * checkpoint.
 *
 * @throws ModelFormatError when the checkpoint is damaged, of a kind that is not known, already quantised or has a weight that isn't finite
 * @throws InvalidRequestError when `out` exists
 * @throws AbortedError when the signal fires; nothing is left behind
 */
export async function quantizeWeights(options: QuantizeWeightsOptions): Promise<QuantizedCheckpoint> {
  const out = resolve(options.out)
  if (await exists(out)) throw new InvalidRequestError('out', `${out} exists; remove it or choose another folder`)
  const stored = options.files ?? openFloats(options.folder)
  const config = await readModelConfig(stored)
  const matrices = findMatrices(config)
  const partial = `${out}.partial-${randomUUID()}`
  await mkdir(partial, { recursive: true })
  try {
    const storage = findStorageFile(config)
    // Refused before hours of work where it is quantised already.
    await describeQuantized(stored, { ...options, storage })
    // The tokenizer of a pipeline is beside its parts.
    if (options.files === undefined) await copyDescriptions(options.folder, stored, partial)
    const smoothing = await smooth(stored, options)
    const files = smoothing === undefined ? stored : smoothWeights(stored, smoothing)
    const weights = await indexWeights(files)
    // Weights may lie elsewhere than the files beside them, as in the hub's cache.
    const source = (await files.made?.()) === undefined ? openFolder(weights.folder) : files
    const rough = await writeWeights(partial, weights, { ...options, matrices, source })
    const described = { ...options, storage, rough: rough.map(({ name }) => name), smoothed: smoothing !== undefined }
    await writeFile(join(partial, storage), await describeQuantized(stored, described))
    await rename(partial, out)
    return { rough, smoothed: smoothing?.norms.map(({ norm }) => norm) ?? [] }
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    throw error
  }
}

async function smooth(files: ModelFiles, options: QuantizeWeightsOptions): Promise<Smoothing | undefined> {
  if (options.blockSize !== 'row') return undefined
  return options.chooseSmoothing?.(files, {
    tokenizer: options.tokenizer ?? files,
    onLayer: (done, total) => options.onProgress?.({ stage: 'smooth', done, total }),
  })
}

async function copyDescriptions(folder: string, files: ModelFiles, partial: string): Promise<void> {
  await ((await isShown(folder)) ? writeTexts(files, partial) : copyTexts(folder, partial))
}

/** Whether the texts of a checkpoint are not simply the files of a folder: a GGUF file has them in it, an adapter in its base too. */
async function isShown(folder: string): Promise<boolean> {
  if (isGgufPath(folder)) return true
  return (await exists(join(folder, ADAPTER_FILE))) && !(await exists(join(folder, 'config.json')))
}

/** What the file that says how weights are stored is given. */
export interface QuantizedStorage extends Pick<QuantizeWeightsOptions, 'folder' | 'bits' | 'blockSize'> {
  /** Its path in the checkpoint. */
  readonly storage: string
  /** Names of the tensors that stayed in blocks. @defaultValue none */
  readonly rough?: readonly string[]
  /** @defaultValue false */
  readonly smoothed?: boolean
}

/**
 * The text of the file that says how the weights of a quantised checkpoint are stored.
 *
 * @throws ModelFormatError where it is quantised already
 */
export async function describeQuantized(
  files: ModelFiles,
  { folder, storage, bits, blockSize, rough = [], smoothed = false }: QuantizedStorage,
): Promise<string> {
  const config = await readConfig(files, storage, z.looseObject({}), 'a configuration in JSON')
  if (config['quantization_config'] != null) {
    throw new ModelFormatError(
      join(folder, storage),
      'a checkpoint with float weights',
      'one with a quantization_config',
    )
  }
  const tensors = Object.fromEntries(rough.map((name) => [name, BLOCKS_FOR_ROUGH]))
  const quantization = quantizationConfigSchema.parse({
    quant_method: 'tessera',
    bits,
    block_size: blockSize,
    ...(rough.length > 0 && { tensors }),
    ...(smoothed && { smoothed }),
  })
  return `${JSON.stringify({ ...config, quantization_config: quantization }, null, 2)}\n`
}

async function writeTexts(files: ModelFiles, partial: string): Promise<void> {
  for (const name of SHOWN_TEXTS) {
    const text = await files.readText(name)
    if (text !== undefined) await writeFile(join(partial, name), text)
  }
}

async function copyTexts(folder: string, partial: string): Promise<void> {
  await mkdir(partial, { recursive: true })
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const [from, to] = [join(folder, entry.name), join(partial, entry.name)]
    // Some checkpoints have the configuration of their encoder and their tokenizer in folders.
    if (entry.isDirectory() && TEXT_FOLDERS.has(entry.name)) await copyTexts(from, to)
    const wanted = COPIED.has(extname(entry.name)) || entry.name.startsWith('LICENSE') || entry.name === HEAD_FILE
    if (entry.isDirectory() || !wanted || entry.name.endsWith('.safetensors.index.json')) continue
    await copyFile(from, to)
  }
}

interface WeightsOptions extends QuantizeWeightsOptions {
  readonly source: ModelFiles
  readonly matrices: RegExp
}

async function writeWeights(
  partial: string,
  weights: WeightIndex,
  options: WeightsOptions,
): Promise<readonly RoughMatrix[]> {
  const { folder, matrices, source, signal, blockSize } = options
  const sizeOf = (names: readonly string[]) => names.reduce((sum, name) => sum + weights.get(name)!.length, 0)
  const total = sizeOf(weights.names)
  const isMeasured = (name: string) => blockSize === 'row' && isMatrix(name, weights.get(name)!, matrices)
  // Matrices in rows are read twice, once to see which of them are too rough.
  const work = total + sizeOf(weights.names.filter(isMeasured))
  let read = 0
  const onBytes = (bytes: number) => {
    read += bytes
    options.onProgress?.({ stage: 'quantize', done: read === work ? total : (read / work) * total, total })
  }
  const quantizer = new SliceQuantizer(options.threads ?? 1, signal)
  const writing = { matrices, source, quantizer, folder, signal, onBytes }
  try {
    const rough = blockSize === 'row' ? await findRoughMatrices(weights, writing) : []
    const names = new Set(rough.map(({ name }) => name))
    await writeQuantized(join(partial, 'model.safetensors'), weights, {
      ...writing,
      bits: options.bits,
      blockSize,
      rough: names,
    })
    return rough
  } finally {
    await quantizer.close()
  }
}
