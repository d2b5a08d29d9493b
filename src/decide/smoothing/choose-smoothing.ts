import * as z from 'zod'
import type { Backend, Tensor } from '../../backends/index.ts'
import { throwIfAborted } from '../../errors/aborted-by.ts'
import { InsufficientMemoryError } from '../../errors/index.ts'
import { buildLayerPeaks } from '../../graph/index.ts'
import { matchFamily, type ModelConfig, readModelConfig } from '../../models/configs/model-config.ts'
import type { ModelFiles } from '../../models/files/model-files.ts'
import { formatBytes } from '../../models/format-bytes.ts'
import { WITH_OR_WITHOUT_HEAD } from '../../models/language-models/families.ts'
import type { LanguageModelConfig } from '../../models/language-models/language-model-config.ts'
import { listNormGroups } from '../../models/language-models/norm-groups.ts'
import { checkTensors, tensorPrefix } from '../../models/language-models/tensor-layout.ts'
import type { SmoothedNorm, Smoothing } from '../../models/quantize/smooth-weights.ts'
import { decodeFloats } from '../../models/weights/decode-floats.ts'
import { openTensors, type OpenTensors } from '../../models/weights/open-tensors.ts'
import { int64 } from '../int64-tensor.ts'
import { lengths } from '../language-model/passes.ts'
import { loadTokenizer } from '../tokenizer/tokenizer.ts'
import { CALIBRATION_TEXT } from './calibration-text.ts'
import { type HeldTensors, holdTensors } from './hold-tensors.ts'

export interface ChooseSmoothingOptions {
  /** Opens what the model is run on, once it is known to be a language model; it is disposed in the end. */
  openBackend(): Promise<Backend>
  /** Bytes that may be taken. */
  readonly available: number
  /** Has `tokenizer.json`. @defaultValue the files of the model */
  readonly tokenizer?: ModelFiles
  readonly signal?: AbortSignal | undefined
  /** Called after each layer. */
  onLayer?(done: number, total: number): void
}

/** Tokens of the text that are read. */
const TOKENS = 512
/** What a layer takes for each byte of its weights as float32: these, what the runtime packs of them, and what is on the way to either. */
const FLOAT_COPIES = 3

/**
 * Chooses by how much each channel behind the norms of a language model is divided before its matrices become whole rows of 8 bits:
 * √(largest input / largest weight), which leaves inputs and weights the same range (SmoothQuant with a strength of ½). The model reads
 * {@link CALIBRATION_TEXT} for it, one layer after another, so that no more than a layer is in memory.
 *
 * @param files of a checkpoint with float weights
 * @returns undefined for what is no language model
 * @throws ModelFormatError, InsufficientMemoryError where a layer does not fit, AbortedError between layers
 */
export async function chooseSmoothing(
  files: ModelFiles,
  options: ChooseSmoothingOptions,
): Promise<Smoothing | undefined> {
  const described = await readModelConfig(files)
  const config = matchFamily(WITH_OR_WITHOUT_HEAD, described)?.readConfig(described.json, described.file)
  if (config === undefined) return undefined
  const tensors = await openTensors(files)
  checkTensors(config, tensors.weights)
  const ids = await readIds(options.tokenizer ?? files, described, config)
  const backend = await options.openBackend()
  try {
    const norms: SmoothedNorm[] = []
    let x = await embed(tensors, config, ids)
    for (let layer = 0; layer < config.num_hidden_layers; layer++) {
      throwIfAborted(options.signal)
      const held = await holdLayer(tensors, layer, options.available)
      const read = await readLayer(backend, config, { held, layer, x })
      norms.push(...read.norms)
      x = read.y
      options.onLayer?.(layer + 1, config.num_hidden_layers)
    }
    return { norms, normsFromOne: config.normsFromOne }
  } finally {
    await backend.dispose()
  }
}

const beginSchema = z.looseObject({ bos_token_id: z.number().int().nonnegative().nullish().catch(undefined) })

/** The text's tokens, behind that which begins texts where the model says so. */
async function readIds(tokenizer: ModelFiles, { json }: ModelConfig, config: LanguageModelConfig): Promise<number[]> {
  const { vocab_size: vocabulary, max_position_embeddings: positions } = config
  const { encode } = await loadTokenizer(tokenizer, { vocabulary })
  const begin = beginSchema.parse(json).bos_token_id
  const first = begin != null && begin < vocabulary ? [begin] : []
  return [...first, ...encode(CALIBRATION_TEXT)].slice(0, Math.min(TOKENS, positions))
}

/** Rows of the embeddings: float32 [tokens, hidden] */
async function embed(
  { weights, read }: OpenTensors,
  { hidden_size: hidden, embeddingScale }: LanguageModelConfig,
  ids: readonly number[],
): Promise<Tensor> {
  const entry = weights.get(`${tensorPrefix(weights)}embed_tokens.weight`)!
  const rowBytes = entry.length / entry.shape[0]!
  const data = new Float32Array(ids.length * hidden)
  for (const [row, id] of ids.entries()) {
    data.set(decodeFloats(await read(entry, id * rowBytes, rowBytes), entry.dtype), row * hidden)
  }
  return { type: 'float32', dims: [ids.length, hidden], data: data.map((value) => value * embeddingScale) }
}

/** @throws InsufficientMemoryError */
function holdLayer(tensors: OpenTensors, layer: number, available: number): Promise<HeldTensors> {
  const { weights } = tensors
  const names = weights.names.filter((name) => name.startsWith(`${tensorPrefix(weights)}layers.${layer}.`))
  requireMemory(tensors, names, available)
  return holdTensors(tensors, names)
}

interface LayerInput {
  readonly held: HeldTensors
  readonly layer: number
  /** The hidden state before it. */
  readonly x: Tensor
}

async function readLayer(
  backend: Backend,
  config: LanguageModelConfig,
  { held, layer, x }: LayerInput,
): Promise<{ readonly y: Tensor; readonly norms: SmoothedNorm[] }> {
  const groups = listNormGroups(config, tensorPrefix(held.weights), layer)
  const tokens = x.dims[0]!
  const graph = buildLayerPeaks(config, held.weights, { layer, groups, maxPositions: tokens })
  const session = await backend.createSession(held.hand(graph))
  try {
    const { y, ...peaks } = await session.run({
      x,
      position_ids: int64(
        Array.from({ length: tokens }, (_, i) => i),
        [1, tokens],
      ),
      ...lengths(tokens),
    })
    const peaksOf = (name: string) => peaks[name]!.data as Float32Array
    const norms = groups.map((group, i) => {
      const weights = peaksOf(`weight.${i}`)
      return { ...group, factors: peaksOf(`input.${i}`).map((input, channel) => factorOf(input, weights[channel]!)) }
    })
    return { y: y!, norms }
  } finally {
    await session.dispose()
  }
}

/** Channels that are always zero, and those of a model whose numbers are none, stay as they are. */
function factorOf(input: number, weight: number): number {
  const factor = Math.sqrt(input / weight)
  return factor > 0 && Number.isFinite(factor) ? factor : 1
}

/** @throws InsufficientMemoryError */
function requireMemory({ weights }: OpenTensors, names: readonly string[], available: number): void {
  const bytes = names.map((name) => {
    const { length, shape } = weights.get(name)!
    return length + FLOAT_COPIES * Float32Array.BYTES_PER_ELEMENT * shape.reduce((product, side) => product * side, 1)
  })
  const needed = bytes.reduce((sum, one) => sum + one, 0)
  if (needed <= available) return
  const what = `smoothing the channels of a layer needs about ${formatBytes(needed)} of memory`
  throw new InsufficientMemoryError(
    `${what}, and ${formatBytes(Math.max(0, available))} are left`,
    'Close other programs, raise the limit, or take --for portable, which runs no part of the model',
    { needed, available },
  )
}
