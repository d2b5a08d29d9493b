import type { Engine } from '../../src/engine/index.ts'
import { percentile } from '../measure/percentile.ts'

export interface Figures {
  readonly answers: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
}

export interface Load extends Figures {
  readonly callers: number
}

export const QUESTION = {
  state: 'I was charged twice and want my money back.',
  questions: { urgent: { type: 'noul', instructions: 'Is it urgent?' } },
} as const

const WARM_UP_SECONDS = 1

/** Callers that ask one decision after the other. */
export async function runCallers(engine: Pick<Engine, 'decide'>, callers: number, seconds: number): Promise<Figures> {
  await askFor(engine, callers, WARM_UP_SECONDS)
  return toFigures(await askFor(engine, callers, seconds))
}

export function toFigures(times: readonly number[]): Figures {
  const sorted = times.toSorted((a, b) => a - b)
  return { answers: sorted.length, p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) }
}

/** Milliseconds of each answer. */
export async function askFor(engine: Pick<Engine, 'decide'>, callers: number, seconds: number): Promise<number[]> {
  const times: number[] = []
  const end = performance.now() + 1000 * seconds
  const call = async (client: string) => {
    while (performance.now() < end) {
      const began = performance.now()
      await engine.decide(QUESTION, { client })
      times.push(performance.now() - began)
    }
  }
  await Promise.all(Array.from({ length: callers }, (_, index) => call(String(index))))
  return times
}
