import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cpuBackend } from '../../../test/helpers/cpu-backend.ts'
import { furthest } from '../../../test/helpers/furthest.ts'
import { writeTinyBundle } from '../../../test/helpers/tiny-bundle.ts'
import { type Tensor } from '../../backends/index.ts'
import { buildLanguageModel } from '../../graph/index.ts'
import { openFolder } from '../../models/files/model-folder.ts'
import { parseLanguageModelConfig, readSafetensors } from '../../models/index.ts'
import { parseDecisionRequest, type Question } from '../../schemas/index.ts'
import { openDecider } from '../index.ts'
import { loadTokenizer } from '../tokenizer/tokenizer.ts'
import { readChatSymbols } from './answer-symbols.ts'
import { readChatFormat } from './chat-format.ts'
import { createChatTemplate } from './chat-template.ts'
import { cacheLengths, KvCache } from './kv-cache.ts'
import { prefillFeeds } from './passes.ts'
import { createSymbolReadout } from './readout.ts'
import type { Branch } from './template.ts'

const STATE = 'I was charged twice for invoice 4711! '.repeat(18)
const QUESTIONS = {
  urgent: { type: 'noul', instructions: 'Does this need an answer today?' },
  team: {
    type: 'choice',
    instructions: 'Who should handle it?',
    criteria: { billing: 'Payments', tech: null, sales: 'Offers and prices' },
  },
  anger: { type: 'score', instructions: 'How angry is the writer?', criteria: ['calm', 'annoyed', 'furious'] },
}

/**
 * State and question in one pass behind the first token. That one goes ahead alone because onnxruntime's
 * GroupQueryAttention counts positions itself, ignoring position_ids, while the cache is empty.
 */
function restOfSequence(state: readonly number[], branch: Branch): Record<string, Tensor> {
  const ids = [...state, ...branch.ids]
  const [size, total] = [ids.length - 1, ids.length]
  return {
    input_ids: { type: 'int64', dims: [1, size], data: BigInt64Array.from(ids.slice(1), BigInt) },
    position_ids: { type: 'int64', dims: [1, size], data: BigInt64Array.from(ids.keys(), BigInt).slice(1) },
    attention_bias: { type: 'float32', dims: [1, 1, size, total], data: new Float32Array(size * total) },
    rows: { type: 'int64', dims: [1], data: BigInt64Array.of(BigInt(size - 1)) },
    seqlens_k: { type: 'int32', dims: [1], data: Int32Array.of(total - 1) },
    total_sequence_length: { type: 'int32', dims: [], data: Int32Array.of(total) },
  }
}

describe('cached, chunked and packed reading', () => {
  it('equals reading state and question from scratch, to 1e-4 on logits', async () => {
    const folder = await writeTinyBundle({ seed: 5 })
    const backend = await cpuBackend()
    const config = parseLanguageModelConfig(
      JSON.parse(await readFile(join(folder, 'config.json'), 'utf8')),
      'config.json',
    )
    const tokenizer = await loadTokenizer(openFolder(folder))
    const symbols = readChatSymbols(tokenizer, 'tokenizer.json')
    const template = createChatTemplate(tokenizer, readChatFormat(undefined), { symbols })
    const readout = createSymbolReadout(symbols)
    const options = { linear: 'float', maxPositions: config.max_position_embeddings } as const
    const weights = await readSafetensors(folder)
    const first = await backend.createSession(buildLanguageModel(config, weights, { ...options, graph: 'prefill' }))
    const session = await backend.createSession(
      buildLanguageModel(config, weights, { ...options, graph: 'branch', head: readout.head }),
    )
    const decider = await openDecider({ backend, files: openFolder(folder) })
    const request = parseDecisionRequest({ state: STATE, questions: QUESTIONS })
    const packed = await decider.logits(request, { turn: async () => {} })
    const { opening, ids } = template.state(STATE)
    const state = [...opening, ...ids]
    expect(state.length).toBeGreaterThan(512)
    for (const [index, question] of Object.values(request.questions).entries() as IterableIterator<
      [number, Question]
    >) {
      const [branch] = template.question(question, Number.POSITIVE_INFINITY)
      const shape = {
        layers: config.num_hidden_layers,
        heads: config.num_key_value_heads,
        headDim: config.head_dim,
        precision: backend.precision,
      }
      const memory = cacheLengths(shape, 1).map((length) => new Float32Array(length))
      const cache = new KvCache(first, shape, 1, memory)
      await cache.extend(prefillFeeds(state.slice(0, 1), 0), 0)
      const outputs = await cache.read(session, { ...restOfSequence(state, branch), ...readout.feeds })
      const { logits: expected } = readout.read(outputs, 0, question)
      expect(furthest(packed[index]?.[0], expected)).toBeLessThan(1e-4)
      expect(Math.max(...expected) - Math.min(...expected)).toBeGreaterThan(1e-3)
    }
    await Promise.all([first.dispose(), session.dispose()])
    await decider.dispose()
  })
})
