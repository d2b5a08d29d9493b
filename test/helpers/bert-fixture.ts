import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Tensor } from '../../src/backends/backend.ts'
import { textBlocks } from '../../src/decide/encoder/attention-blocks.ts'
import { parseBertConfig, type BertConfig } from '../../src/models/configs/bert-config.ts'
import { readSafetensors } from '../../src/models/weights/read-safetensors.ts'
import type { WeightIndex } from '../../src/models/weights/weight-index.ts'
import { int64 } from './run-graph.ts'

export interface BertCheckpoint {
  readonly config: BertConfig
  readonly weights: WeightIndex
}

export async function openBertCheckpoint(folder: string): Promise<BertCheckpoint> {
  const file = join(folder, 'config.json')
  const config = parseBertConfig(JSON.parse(readFileSync(file, 'utf8')), file)
  return { config, weights: await readSafetensors(folder) }
}

/** Feeds of a graph on BERT tokens at their usual positions. */
export function bertFeeds(ids: readonly number[], segments: readonly number[]): Record<string, Tensor> {
  const row = (values: readonly number[]) => int64(values, 1, values.length)
  return {
    input_ids: row(ids),
    position_ids: row(ids.map((_, i) => i)),
    token_type_ids: row(segments),
    ...textBlocks([ids.length]),
  }
}
