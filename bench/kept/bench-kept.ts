import { basename, resolve } from 'node:path'
import { type Summary, summarize } from '../../src/cli/bench/statistics.ts'
import { createEngine, type Engine } from '../../src/engine/index.ts'
import type { QuestionsInput } from '../../src/schemas/index.ts'
import { QUESTIONS } from '../decide/questions.ts'
import { makeRequest } from '../decide/request.ts'
import { provideQwen3 } from '../models/provide-qwen3.ts'
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
  readonly first: Summary
  /** Another question on the same state. */
  readonly again: Summary
  /** The first by the second. */
  readonly ratio: number
}

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
        ['model', 'state', 'first question', 'passes', 'another one', 'passes', 'faster'],
        models.map(({ model, state_tokens: tokens, passes, first, again, ratio }) => [
          model,
          `${tokens} tokens`,
          ms(first),
          String(passes.first),
          ms(again),
          String(passes.again),
          `**${ratio.toFixed(1)}×**`,
        ]),
      ),
    ].join('\n\n'),
  }),
}

async function measureKept(engine: Engine, tokens: number, runs: number): Promise<Omit<KeptFigures, 'model'>> {
  const { state } = await makeRequest(tokens - 4, async (body) => engine.countTokens(body))
  const first: number[] = []
  const again: number[] = []
  let passes = { first: 0, again: 0 }
  // The first round warms up and is not counted. Every state is another one from its first word on.
  for (let run = 0; run <= runs; run++) {
    const fresh = `${run}. ${String(state)}`
    const read = await ask(engine, fresh, ONE)
    const answered = await ask(engine, fresh, ANOTHER)
    if (run === 0) continue
    first.push(read.time)
    again.push(answered.time)
    passes = { first: read.passes, again: answered.passes }
  }
  const summary = { first: summarize(first), again: summarize(again) }
  return { state_tokens: tokens, passes, ...summary, ratio: summary.first.median / summary.again.median }
}

async function ask(engine: Engine, state: string, questions: QuestionsInput) {
  let passes = 0
  const started = performance.now()
  await engine.decide({ state, questions }, { onProgress: ({ total }) => (passes = total) })
  return { time: performance.now() - started, passes }
}
