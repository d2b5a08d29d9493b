import type { BackendName } from '../../backends/index.ts'
import { createEngine, type Engine } from '../../engine/index.ts'
import { DEFAULT_MODELS } from '../../engine/options/default-models.ts'
import { TesseraError } from '../../errors/index.ts'
import type { DecisionRequestInput, DecisionResponse } from '../../schemas/index.ts'
import { type Summary, summarize } from './statistics.ts'

/** One backend on the models that requests get by default; the fields that are missing did not come to be in time. */
export interface BackendFigures {
  readonly backend: BackendName
  /** From creating the engine to its first answers, in milliseconds. */
  readonly startup_ms?: number
  /** One call of `decide` with three questions, in milliseconds. */
  readonly decide?: Summary
  /** One picture of 256 × 256 where an image model is installed, in milliseconds. */
  readonly picture?: Summary
  /** What the process took on top of what it had, in MiB. */
  readonly memory_mib?: number
  /** Probabilities in order, and how far the farthest is from that of the first backend measured. */
  readonly probabilities?: readonly number[]
  readonly deviation?: number
  /** Why something is missing. */
  readonly reason?: string
}

/** Repeats end after so many, or after so many milliseconds. */
const REPEATS = { most: 15, least: 3, ms: 2500 }
const REQUEST: DecisionRequestInput = {
  state: 'The printer on the second floor is out of order again, and last month was paid twice. '.repeat(10),
  questions: {
    urgent: { type: 'noul', instructions: 'Does this need an answer today?' },
    team: {
      type: 'choice',
      instructions: 'Who should handle it?',
      criteria: { billing: 'Payments', tech: 'Faults', sales: 'Offers' },
    },
    anger: { type: 'score', instructions: 'How angry is the writer?', criteria: ['calm', 'annoyed', 'furious'] },
  },
}
const PICTURE = { prompt: 'a red apple on a blue background', size: '256x256', seed: 1 }

/** Measures one backend for at most about `limitMs` milliseconds. */
export async function measureBackend(
  backend: BackendName,
  { threads, limitMs }: { readonly threads?: number; readonly limitMs: number },
): Promise<BackendFigures> {
  const signal = AbortSignal.timeout(limitMs)
  const before = process.memoryUsage.rss()
  const figures: { -readonly [Field in keyof BackendFigures]: BackendFigures[Field] } = { backend }
  const started = performance.now()
  try {
    await using engine = await createEngine({ backend, threads })
    figures.probabilities = readProbabilities(await engine.decide(REQUEST, { signal }))
    figures.startup_ms = performance.now() - started
    figures.decide = await repeat(() => engine.decide(REQUEST, { signal }))
    if (await hasPictures(engine)) {
      await engine.generateImage(PICTURE, { signal })
      figures.picture = await repeat(() => engine.generateImage(PICTURE, { signal }))
    }
    const taken = process.memoryUsage.rss() - before
    // The backend before may have given back more in the meantime, which leaves nothing to tell.
    if (taken > 0) figures.memory_mib = taken / 2 ** 20
  } catch (error) {
    if (!TesseraError.isInstance(error)) throw error
    figures.reason = signal.aborted ? `not done after ${Math.round(limitMs / 1000)} s` : error.message
  }
  return figures
}

async function hasPictures(engine: Engine): Promise<boolean> {
  const models = await engine.models()
  return models.some(({ name, available }) => name === DEFAULT_MODELS.generateImage && available)
}

async function repeat(call: () => Promise<unknown>): Promise<Summary> {
  const times: number[] = []
  const end = performance.now() + REPEATS.ms
  while (times.length < REPEATS.least || (times.length < REPEATS.most && performance.now() < end)) {
    const started = performance.now()
    await call()
    times.push(performance.now() - started)
  }
  return summarize(times)
}

function readProbabilities({ answers }: DecisionResponse): number[] {
  return Object.values(answers).flatMap((answer) =>
    answer.type === 'noul' ? [answer.noul] : Object.values(answer.probabilities as Record<string, number>),
  )
}
