import type { Backend } from '../../backends/backend.ts'
import { buildBertEncoder, buildModernBertEncoder, chooseLinear, type EncoderHead } from '../../graph/index.ts'
import type { BertConfig } from '../../models/bert-config.ts'
import type { ModernBertConfig } from '../../models/modernbert-config.ts'
import type { WeightIndex } from '../../models/weight-index.ts'
import { int64 } from '../int64-tensor.ts'
import type { EncoderModel } from './encoder-question-reader.ts'
import { localBlocks } from './local-blocks.ts'

export async function openBert(
  backend: Backend,
  weights: WeightIndex,
  config: BertConfig,
  head: EncoderHead,
): Promise<EncoderModel> {
  const { attention, precision, movesHalf } = backend
  const options = { linear: chooseLinear(weights), attention, precision, movesHalf }
  return {
    session: await backend.createSession(buildBertEncoder(config, weights, head, options)),
    tokenFeeds: (ids, segments) => ({ ...placed(ids), token_type_ids: int64(segments, [1, segments.length]) }),
  }
}

/** @param prefix what stands before the names of the encoder's tensors */
export async function openModernBert(
  backend: Backend,
  weights: WeightIndex,
  config: ModernBertConfig,
  head: EncoderHead,
  prefix: string,
): Promise<EncoderModel> {
  const { attention, precision, movesHalf } = backend
  const maxPositions = config.max_position_embeddings
  const options = { linear: chooseLinear(weights), attention, precision, movesHalf, maxPositions, prefix }
  return {
    session: await backend.createSession(buildModernBertEncoder(config, weights, head, options)),
    tokenFeeds: (ids) => ({ ...placed(ids), ...localBlocks(ids.length, config.local_attention) }),
  }
}

function placed(ids: readonly number[]) {
  const dims = [1, ids.length]
  return {
    input_ids: int64(ids, dims),
    position_ids: int64(
      ids.map((_, place) => place),
      dims,
    ),
  }
}
