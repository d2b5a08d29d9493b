import type { DecisionRequest, DecisionResponse } from '../schemas/index.ts'
import type { Manifest } from './manifest.ts'
import { countPlan, type PlanLimits, planRequest, type TokenCount } from './plan.ts'
import { createWindowReader, type Decoder } from './read-window.ts'
import { respond } from './respond.ts'
import type { Template } from './template.ts'
import type { Tokenizer } from './tokenizer.ts'
import { WorkingMemory } from './working-memory.ts'

export interface DecideContext {
  /** Awaited before every pass: lets other jobs run, and throws AbortedError once the caller's signal has fired. */
  turn(): Promise<void>
  /** Passes done of all passes of this request. */
  onProgress?(progress: { stage: 'reading'; done: number; total: number }): void
}

export interface Decider {
  /** Answers a validated request. */
  decide(request: DecisionRequest, context: DecideContext): Promise<DecisionResponse>
  /** The `usage.input_tokens` that `decide` would report, and its parts; checks the same limits. */
  countTokens(request: DecisionRequest): TokenCount
  /** Uncalibrated logits of every question in every window that it is read in, for fitting calibration: [question][window][K]. */
  logits(request: DecisionRequest, context: DecideContext): Promise<Float64Array[][]>
  /** Frees the sessions. Safe to call twice. */
  dispose(): Promise<void>
}

export interface DeciderParts {
  readonly decoder: Decoder
  readonly manifest: Manifest
  readonly template: Template
  readonly tokenizer: Tokenizer
  readonly limits: PlanLimits
}

export function createDecider({ decoder, manifest, template, tokenizer, limits }: DeciderParts): Decider {
  const memory = new WorkingMemory()
  function plan(request: DecisionRequest) {
    try {
      return planRequest(request, template, limits)
    } finally {
      tokenizer.forget()
    }
  }

  async function readAll(planned: ReturnType<typeof plan>, context: DecideContext): Promise<Float64Array[][]> {
    const windows = planned.windows.map(({ start, end }) => [...planned.opening, ...planned.state.slice(start, end)])
    const reader = createWindowReader(decoder, planned, Math.max(...windows.map((ids) => ids.length)), memory)
    const total = windows.reduce((sum, ids) => sum + reader.countPasses(ids.length), 0)
    let done = 0
    const read: Float64Array[][] = []
    try {
      for (const ids of windows) {
        read.push(
          await reader.read(ids, async () => {
            await context.turn()
            context.onProgress?.({ stage: 'reading', done: done++, total })
          }),
        )
      }
    } finally {
      await reader.close()
    }
    context.onProgress?.({ stage: 'reading', done: total, total })
    return planned.questions.map((_, question) => read.map((logits) => logits[question]!))
  }

  return {
    countTokens: (request) => countPlan(plan(request)),
    logits: (request, context) => readAll(plan(request), context),
    async decide(request, context) {
      const started = performance.now()
      const planned = plan(request)
      const logits = await readAll(planned, context)
      const inputTokens = countPlan(planned).input_tokens
      return respond(manifest, { request, logits, inputTokens, started })
    },
    async dispose() {
      await decoder.prefill.dispose()
      await decoder.branch.dispose()
    },
  }
}
