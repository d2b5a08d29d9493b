import * as z from 'zod'
import type { Backend, Precision } from '../../backends/backend.ts'
import { InvalidRequestError } from '../../errors/index.ts'
import { buildBertBranch, buildBertTrunk, buildTreeScorer, chooseCompute, refuseUnread } from '../../graph/index.ts'
import type { BertConfig } from '../../models/configs/bert-config.ts'
import { readConfig } from '../../models/configs/read-config.ts'
import type { ModelFiles } from '../../models/files/model-files.ts'
import { roundMatrices } from '../../models/quantize/round-matrices.ts'
import { indexWeights } from '../../models/weights/index-weights.ts'
import type { WeightIndex } from '../../models/weights/weight-index.ts'
import { createDecider, type Decider } from '../decider.ts'
import type { DecisionBundle } from '../decision-family.ts'
import type { KeptStates } from '../kept/kept-states.ts'
import { manifestSchema } from '../manifest.ts'
import { loadWordPieceTokenizer } from '../tokenizer/word-piece-tokenizer.ts'
import { createTreeTokens } from './tree-branch.ts'
import { readTreeConfig, type TreeLayout } from './tree-config.ts'
import { FRAME } from './tree-plan.ts'
import { createTreeQuestionReader } from './tree-question-reader.ts'
import type { TreeModel } from './tree-reader.ts'

/**
 * The matrices of the encoder's layers, which nearly all of the time goes to, but for the last down projection: what rounding its rows,
 * which have outliers, does to hidden states is more than what they differ by from text to text, and heads of questions read that.
 */
function matricesToRound({ num_hidden_layers: layers }: BertConfig): RegExp {
  return new RegExp(String.raw`(^|\.)encoder\.layer\.(?!${layers - 1}\.output\.)\d+\..*\.weight$`)
}

const treeManifestSchema = manifestSchema.extend({ template: z.literal('tree-1'), readout: z.literal('scorer') })

/**
 * Opens a BERT encoder that answers trees of questions: `config.json` with a `tree`, `model.safetensors`, a WordPiece `tokenizer.json` and
 * `tessera.json`.
 *
 * @throws ModelFormatError naming the file that is missing or wrong; InvalidRequestError where no window of it has room in `kept`
 */
export async function openTreeDecider({ backend, files, unread, kept }: DecisionBundle): Promise<Decider> {
  const { config, layout } = await readTreeConfig(files)
  const [manifest, weights, tokenizer] = await Promise.all([
    readConfig(files, 'tessera.json', treeManifestSchema, 'a bundle manifest with template tree-1 and readout scorer'),
    indexWeights(files),
    loadWordPieceTokenizer(files, { vocabulary: config.vocab_size }),
  ])
  if (kept) requireRoom(kept, windowBytes(config, manifest.window.tokens, backend.precision))
  const reader = createTreeQuestionReader({
    model: await openTreeModel(backend, { config, files, weights, layout, unread }),
    tokens: createTreeTokens(tokenizer, layout),
    limits: { positions: config.max_position_embeddings, window: manifest.window },
    kept,
  })
  return createDecider(reader, {
    name: manifest.name,
    tokenizer,
    calibration: manifest.calibration,
    sharpness: manifest.window.sharpness,
  })
}

/** Bytes of the keys and values of the largest window, with its frame. */
function windowBytes(config: BertConfig, tokens: number, precision: Precision): number {
  return (tokens + FRAME) * 2 * config.num_hidden_layers * config.hidden_size * (precision === 'float16' ? 2 : 4)
}

function requireRoom({ room }: KeptStates, bytes: number): void {
  if (bytes <= room) return
  const reason = `a window of this model takes ${bytes} bytes, and a worker may keep ${room}; give it more, or leave it out`
  throw new InvalidRequestError('keepStates.bytes', reason)
}

interface TreeCheckpoint {
  readonly config: BertConfig
  readonly files: ModelFiles
  readonly weights: WeightIndex
  readonly layout: TreeLayout
  /** See `DecisionFamily`. */
  readonly unread: readonly RegExp[]
}

/** @throws ModelFormatError naming a tensor that is missing, has another shape, or is not read */
export async function openTreeModel(
  backend: Backend,
  { config, files, weights, layout, unread }: TreeCheckpoint,
): Promise<TreeModel> {
  const { quantization_config: quantization } = config
  const exact = chooseCompute(backend, weights)
  const rounds = exact.linear === 'float' && backend.fastInt8
  const rounded = rounds ? await roundMatrices(files, weights, quantization, matricesToRound(config)) : undefined
  const options = rounded === undefined ? exact : { ...exact, linear: { rounded } }
  const levels = layout.level_steps + 2
  const trunk = buildBertTrunk(config, weights, options)
  const branch = buildBertBranch(config, weights, { ...options, levels })
  // It takes few rows, and what it rounds nothing makes up for.
  const scorer = buildTreeScorer(config, weights, exact)
  refuseUnread(weights, [trunk, branch, scorer], unread)
  return {
    trunk: await backend.createSession(trunk),
    branch: await backend.createSession(branch),
    scorer: await backend.createSession(scorer),
    width: config.hidden_size,
  }
}
