import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Work } from './work.ts'

/** What is used of node-llama-cpp, which is installed only in this folder and only by who compares with it. */
interface LlamaModule {
  readonly LlamaLogLevel: { readonly error: string }
  getLlama(options: { gpu: false; maxThreads: number; build: 'never'; logLevel: string }): Promise<Llama>
}

interface Llama {
  loadModel(options: { modelPath: string; defaultContextFlashAttention: boolean }): Promise<LlamaModel>
  dispose(): Promise<void>
}

interface LlamaModel {
  tokenize(text: string): number[]
  createContext(options: ContextOptions & { sequences: number }): Promise<Context>
  createDecisionContext(options: ContextOptions & { parallelQuestions: number }): Promise<DecisionContext>
}

interface ContextOptions {
  readonly contextSize: number
  readonly batchSize: number
  readonly threads: number
}

interface Context {
  getSequence(): Sequence
  dispose(): Promise<void>
}

type LogitsOf = { generateNext: { logits: { filter: { tokens: readonly number[] } } } }

interface Sequence {
  clearHistory(): Promise<void>
  evaluateWithoutGeneratingNewTokens(tokens: readonly number[]): Promise<void>
  eraseContextTokenRanges(ranges: readonly { start: number; end: number }[]): Promise<void>
  controlledEvaluate(
    input: readonly (number | readonly [number, LogitsOf])[],
  ): Promise<readonly ({ next: { logits?: ReadonlyMap<number, number> } } | undefined)[]>
}

export interface DecisionContext {
  decideWithMeta(
    document: string,
    questions: Record<string, { type: 'noul'; instruction: string }>,
  ): Promise<{
    answers: Record<string, { value: number }>
    tokenUsage: { input: number }
  }>
  dispose(): Promise<void>
}

/** Room for framing besides the tokens of state and questions. */
const SLACK = 64

export class LlamaSide {
  readonly #llama: Llama
  readonly #model: LlamaModel
  readonly #threads: number

  private constructor(llama: Llama, model: LlamaModel, threads: number) {
    this.#llama = llama
    this.#model = model
    this.#threads = threads
  }

  static async open(modelPath: string, threads: number): Promise<LlamaSide> {
    const file = pathToFileURL(resolve('bench/peers/node-llama-cpp.mjs')).href
    const module = await import(file).catch((cause: unknown) => {
      throw new Error('node-llama-cpp is not installed: npm --prefix bench/peers install --ignore-scripts', { cause })
    })
    const { getLlama, LlamaLogLevel } = module as LlamaModule
    const llama = await getLlama({ gpu: false, maxThreads: threads, build: 'never', logLevel: LlamaLogLevel.error })
    // Without it the scores are written out, which took twice as long on states of 2,000 tokens.
    const model = await llama.loadModel({ modelPath, defaultContextFlashAttention: true })
    return new LlamaSide(llama, model, threads)
  }

  tokenize(text: string): number[] {
    return this.#model.tokenize(text)
  }

  /** Its own API for such questions, with copies of the state for `parallel` questions at a time. */
  openDecisions(work: Work, parallel: number): Promise<DecisionContext> {
    return this.#model.createDecisionContext({ ...this.#contextOptions(work), parallelQuestions: parallel })
  }

  /** One sequence by hand: the state once, then each question behind it, erasing the one before. */
  async openSequence(work: Work): Promise<{ run(): Promise<void>; dispose(): Promise<void> }> {
    const context = await this.#model.createContext({ ...this.#contextOptions(work), sequences: 1 })
    const sequence = context.getSequence()
    const ids = (count: number, first: number) =>
      Array.from({ length: count }, (_, i) => 1000 + ((first + i * 7) % 9000))
    const state = ids(work.state, 0)
    const questions = Array.from({ length: work.questions }, (_, index) => ids(work.question, index))
    return {
      async run() {
        await sequence.clearHistory()
        await sequence.evaluateWithoutGeneratingNewTokens(state)
        for (const [index, question] of questions.entries()) {
          const before = { start: state.length, end: state.length + work.question }
          if (index > 0) await sequence.eraseContextTokenRanges([before])
          const last = question.at(-1) as number
          const wanted = { generateNext: { logits: { filter: { tokens: [1, 2] } } } }
          const read = await sequence.controlledEvaluate([...question.slice(0, -1), [last, wanted]])
          const logits = read.at(-1)?.next.logits
          if (logits?.size !== 2) throw new Error('expected the logits of two tokens from node-llama-cpp')
        }
      },
      dispose: () => context.dispose(),
    }
  }

  dispose(): Promise<void> {
    return this.#llama.dispose()
  }

  #contextOptions({ state, question }: Work): ContextOptions {
    const contextSize = state + question + SLACK
    return { contextSize, batchSize: contextSize, threads: this.#threads }
  }
}
