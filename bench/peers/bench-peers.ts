import { resolve } from 'node:path'
import { createEngine, type Engine } from '../../src/engine/index.ts'
import { timeAlternating } from '../measure/time-alternating.ts'
import { provideQwen3 } from '../models/random-qwen3.ts'
import type { Bench, BenchOptions } from '../report/bench.ts'
import { fitLlamaRequest, fitRequest } from './fit-requests.ts'
import { LlamaSide } from './llama-side.ts'
import { renderPeers } from './render-peers.ts'
import type { PeerFigures, PeersResults, Way } from './results.ts'
import { TransformersSide } from './transformers-side.ts'
import type { Work } from './work.ts'
import { provideQwen3Gguf } from './write-qwen3-gguf.ts'

/** Tokens of every question, with what frames it. */
const QUESTION_TOKENS = 64
/** Most copies of the state in node-llama-cpp's decision context: its default, and more. */
const COPIES = { few: 4, many: 16 }
/** Longer states get fewer rounds, down to one: a round of all ways on 8,192 tokens takes minutes. */
const FULL_ROUNDS = 2048

/** `decide` against other packages that run the same decoder on a CPU, with as many threads. */
export const peersBench: Bench<PeersResults> = {
  async measure(options) {
    const decide: PeerFigures[] = []
    for (const bits of [8, 4] as const) decide.push(...(await measureBits(bits, options)))
    return { layers: options.layers, decide }
  },
  render: renderPeers,
}

async function measureBits(bits: 4 | 8, options: BenchOptions): Promise<PeerFigures[]> {
  const { layers, threads, states, questions, runs } = options
  const bundle = await provideQwen3({ layers, bits })
  const gguf = await provideQwen3Gguf(bundle, { layers, bits })
  await using engine = await openEngine(bundle, threads)
  // Of 8 bits also beside 4: there is no faster form of products, and the other side's 4 bits are less accurate.
  await using rows = await openEngine(await provideQwen3({ layers, bits: 8, block: 'row' }), threads)
  const llama = await LlamaSide.open(gguf, threads)
  const transformers = await TransformersSide.open(bundle, threads)
  const figures: PeerFigures[] = []
  for (const state of states) {
    const rounds = Math.max(1, Math.min(runs, Math.round((runs * FULL_ROUNDS) / state)))
    for (const asked of questions) {
      const work = { state, questions: asked, question: QUESTION_TOKENS }
      const request = await fitRequest(engine, work)
      const sequence = await llama.openSequence(work)
      const few = await openDecisions(llama, work, COPIES.few, rounds)
      const many = asked > COPIES.few ? await openDecisions(llama, work, COPIES.many, rounds) : undefined
      const times = await timeAlternating<Way>(
        {
          tessera: () => engine.decide(request),
          tessera_rows: () => rows.decide(request),
          llama_sequence: () => sequence.run(),
          llama_decisions: () => few.run(),
          ...(many && { llama_decisions_many: () => many.run() }),
          transformers: () => transformers.run(work),
        } as Record<Way, () => Promise<unknown>>,
        rounds,
      )
      await Promise.all([sequence.dispose(), few.dispose(), many?.dispose()])
      console.error(
        `int${bits}, ${state} tokens, ${asked} questions: ` +
          Object.entries(times)
            .map(([way, { median }]) => `${way} ${median.toFixed(0)} ms`)
            .join(', '),
      )
      figures.push({ bits, ...work, times })
    }
  }
  await transformers.dispose()
  await llama.dispose()
  return figures
}

function openEngine(bundle: string, threads: number): Promise<Engine> {
  return createEngine({ backend: 'cpu', threads, models: { 'decide-latest': resolve(bundle) } })
}

async function openDecisions(llama: LlamaSide, work: Work, copies: number, rounds: number) {
  const context = await llama.openDecisions(work, Math.min(copies, work.questions))
  const next = await fitLlamaRequest(context, (text) => llama.tokenize(text), work)
  const requests: Awaited<ReturnType<typeof next>>[] = []
  for (let run = 0; run <= rounds; run++) requests.push(await next())
  const total = work.state + work.questions * work.question
  return {
    async run() {
      const { tokenUsage } = await context.decideWithMeta(...(requests.pop() as (typeof requests)[number]))
      // It does not read again what a text has in common with the one before: the first words of its template.
      if (Math.abs(tokenUsage.input - total) > 8 * work.questions) {
        throw new Error(`expected node-llama-cpp to read ${total} tokens, it counted ${tokenUsage.input}`)
      }
    },
    dispose: () => context.dispose(),
  }
}
