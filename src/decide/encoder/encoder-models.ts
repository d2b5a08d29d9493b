import type { Backend } from '../../backends/backend.ts'
import {
  buildBertEncoder,
  buildModernBertEncoder,
  chooseCompute,
  type EncoderHead,
  refuseUnread,
} from '../../graph/index.ts'
import type { BertConfig } from '../../models/configs/bert-config.ts'
import type { ModernBertConfig } from '../../models/configs/modernbert-config.ts'
import type { WeightIndex } from '../../models/weights/weight-index.ts'
import type { EncoderModel } from './encoder-question-reader.ts'

/** An encoder's configuration and tensors, and those that may be left over; see `DecisionFamily`. */
interface EncoderCheckpoint<Config> {
  readonly config: Config
  readonly weights: WeightIndex
  readonly unread: readonly RegExp[]
}

/** @throws ModelFormatError naming a tensor that is missing, has another shape, or is not read */
export async function openBert(
  backend: Backend,
  { config, weights, unread }: EncoderCheckpoint<BertConfig>,
  head: EncoderHead,
): Promise<EncoderModel> {
  const graph = buildBertEncoder(config, weights, head, chooseCompute(backend, weights))
  refuseUnread(weights, [graph], unread)
  return { session: await backend.createSession(graph) }
}

/**
 * @param prefix what stands before the names of the encoder's tensors
 * @throws ModelFormatError as {@link openBert}
 */
export async function openModernBert(
  backend: Backend,
  { config, weights, unread }: EncoderCheckpoint<ModernBertConfig>,
  head: EncoderHead,
  prefix: string,
): Promise<EncoderModel> {
  const options = { ...chooseCompute(backend, weights), maxPositions: config.max_position_embeddings, prefix }
  const graph = buildModernBertEncoder(config, weights, head, options)
  refuseUnread(weights, [graph], unread)
  return { session: await backend.createSession(graph), window: config.local_attention }
}
