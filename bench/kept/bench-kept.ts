import { basename, resolve } from 'node:path'
import { type Summary, summarize } from '../../src/cli/bench/statistics.ts'
import { createEngine, type Engine } from '../../src/engine/index.ts'
import type { QuestionsInput } from '../../src/schemas/index.ts'
import { QUESTIONS } from '../decide/questions.ts'
import { makeRequest } from '../decide/request.ts'
import { type Cost, measureCost } from '../measure/compare-pairs.ts'
import { provideQwen3 } from '../models/random-qwen3.ts'
import type { Bench } from '../report/bench.ts'
import { ms, table } from '../report/markdown.ts'

/** The second is several windows of the embedded model. */
const STATE_TOKENS = [200, 2000]
const BYTES = 4e9
const ONE: QuestionsInput = { patents: QUESTIONS['patents']! }
const ANOTHER: QuestionsInput = { kind: QUESTIONS['kind']! }

interface KeptFigures {
  readonly model: string
  readonly state_tokens: number
  /** Passes over windows of the state and over questions, of the first call. */
  readonly passes: { readonly first: number; readonly again: number }
  /** A question on a state that is new. */
  readonly first: CallCost
  /** Another question on the same state. */
  readonly again: CallCost
  /** Processor time of the first by that of the second. */
  readonly ratio: number
}

type CallCost = Readonly<Record<keyof Cost, Summary>>

interface KeptResults {
  readonly models: readonly KeptFigures[]
}

/** What a call costs whose state was read by the call before it. `layers` 0 leaves out the bundle in the shapes of Qwen3-0.6B. */
export const keptBench: Bench<KeptResults> = {
  async measure({ model, layers, threads, runs }) {
    const folders = [model, ...(layers > 0 ? [await provideQwen3({ layers, bits: 8 })] : [])]
    const models: KeptFigures[] = []
    for (const folder of folders) {
      for (const tokens of STATE_TOKENS) {
        console.error(`${folder}, ${tokens} tokens`)
        const served = { 'decide-latest': resolve(folder) }
        const keepStates = { bytes: BYTES }
        await using engine = await createEngine({ backend: 'cpu', threads, models: served, keepStates })
        models.push({ model: basename(folder), ...(await measureKept(engine, tokens, runs)) })
      }
    }
    return { models }
  },
  render: ({ models }) => ({
    markdown: [
      'One question on a state that is new, then another on the same one, with `keepStates`. Passes are those over the state and over the question.',
      table(
        [
          'model',
          'state',
          'first question',
          'processor time',
          'passes',
          'another one',
          'processor time',
          'passes',
          'less',
        ],
        models.map(({ model, state_tokens: tokens, passes, first, again, ratio }) => [
          model,
          `${tokens} tokens`,
          ms(first.time),
          ms(first.processor),
          String(passes.first),
          ms(again.time),
          ms(again.processor),
          String(passes.again),
          `**${ratio.toFixed(1)}×**`,
        ]),
      ),
    ].join('\n\n'),
  }),
}

async function measureKept(engine: Engine, tokens: number, runs: number): Promise<Omit<KeptFigures, 'model'>> {
  const { state } = await makeRequest(tokens - 4, async (body) => engine.countTokens(body))
  const first: Cost[] = []
  const again: Cost[] = []
  let passes = { first: 0, again: 0 }
  // The first round warms up and is not counted. Every window of a state is another one than those of the rounds before.
  for (let run = 0; run <= runs; run++) {
    const fresh = String(state).replaceAll(' the ', ` ${run} `)
    const read = await ask(engine, fresh, ONE)
    const answered = await ask(engine, fresh, ANOTHER)
    if (run === 0) continue
    first.push(read)
    again.push(answered)
    passes = { first: read.passes, again: answered.passes }
  }
  const costs = { first: summarizeCosts(first), again: summarizeCosts(again) }
  const ratio = costs.first.processor.median / costs.again.processor.median
  return { state_tokens: tokens, passes, ...costs, ratio }
}

function summarizeCosts(costs: readonly Cost[]): CallCost {
  return {
    time: summarize(costs.map(({ time }) => time)),
    processor: summarize(costs.map(({ processor }) => processor)),
  }
}

async function ask(engine: Engine, state: string, questions: QuestionsInput) {
  let passes = 0
  const cost = await measureCost(() =>
    engine.decide({ state, questions }, { onProgress: ({ total }) => (passes = total) }),
  )
  return { ...cost, passes }
}
