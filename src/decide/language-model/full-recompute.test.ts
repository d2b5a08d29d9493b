import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TINY_MANIFEST, writeTinyBundle } from '../../../test/helpers/tiny-bundle.ts'
import { createCpuBackend, type Tensor } from '../../backends/index.ts'
import { buildLanguageModel } from '../../graph/index.ts'
import { parseLanguageModelConfig, readSafetensors } from '../../models/index.ts'
import { openFolder } from '../../models/model-folder.ts'
import { parseDecisionRequest, type Question } from '../../schemas/index.ts'
import { type Branch, sees } from '../branch.ts'
import { openDecider } from '../index.ts'
import { loadTokenizer } from '../tokenizer/tokenizer.ts'
import { readChatSymbols } from './answer-symbols.ts'
import { createBranchTemplate } from './branch-template.ts'
import { readChatFormat } from './chat-format.ts'
import { createChatTemplate } from './chat-template.ts'
import { cacheLengths, KvCache } from './kv-cache.ts'
import { prefillFeeds } from './passes.ts'
import { createPointerReadout, createSymbolReadout } from './readout.ts'

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
  const positions = [...state.keys(), ...branch.offsets.map((offset) => state.length + offset)]
  const [size, total] = [ids.length - 1, ids.length]
  const bias = new Float32Array(size * total)
  for (let at = state.length; at < total; at++) {
    for (let to = state.length; to <= at; to++) {
      if (!sees(branch, at - state.length, to - state.length)) bias[(at - 1) * total + to] = -1e9
    }
  }
  const rows = branch.rows.map((row) => BigInt(state.length + row - 1))
  return {
    input_ids: { type: 'int64', dims: [1, size], data: BigInt64Array.from(ids.slice(1), BigInt) },
    position_ids: { type: 'int64', dims: [1, size], data: BigInt64Array.from(positions.slice(1), BigInt) },
    attention_bias: { type: 'float32', dims: [1, 1, size, total], data: bias },
    rows: { type: 'int64', dims: [rows.length], data: BigInt64Array.from(rows) },
    seqlens_k: { type: 'int32', dims: [1], data: Int32Array.of(total - 1) },
    total_sequence_length: { type: 'int32', dims: [], data: Int32Array.of(total) },
  }
}

describe.each([
  ['pointer', TINY_MANIFEST],
  ['symbols', {}],
] as const)('cached, chunked and packed reading: %s', (_, manifest) => {
  it('equals reading state and question from scratch, to 1e-4 on logits', async () => {
    const folder = await writeTinyBundle({ manifest, seed: 5 })
    const backend = await createCpuBackend({ threads: 1 })
    const config = parseLanguageModelConfig(
      JSON.parse(await readFile(join(folder, 'config.json'), 'utf8')),
      'config.json',
    )
    const tokenizer = await loadTokenizer(openFolder(folder))
    const pointer = 'readout' in manifest
    const symbols = readChatSymbols(tokenizer, 'tokenizer.json')
    const template = pointer
      ? createBranchTemplate(tokenizer)
      : createChatTemplate(tokenizer, readChatFormat(undefined), { symbols })
    const readout = pointer ? createPointerReadout() : createSymbolReadout(symbols)
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
      for (const [option, logit] of expected.entries())
        expect(Math.abs((packed[index]?.[0]?.[option] ?? NaN) - logit)).toBeLessThan(1e-4)
      expect(Math.max(...expected) - Math.min(...expected)).toBeGreaterThan(1e-3)
    }
    await Promise.all([first.dispose(), session.dispose()])
    await decider.dispose()
    await backend.dispose()
  })
})
