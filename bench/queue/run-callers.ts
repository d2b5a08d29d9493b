import type { Engine } from '../../src/engine/index.ts'
import { type Answered, callFor } from '../measure/call-for.ts'
import { percentile } from '../measure/percentile.ts'

export interface Figures {
  /** That came within the time. */
  readonly answers: number
  /** Milliseconds of all calls that were begun in it. */
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

export function toFigures({ times, inTime }: Answered): Figures {
  const sorted = times.toSorted((a, b) => a - b)
  return { answers: inTime, p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) }
}

export function askFor(engine: Pick<Engine, 'decide'>, callers: number, seconds: number): Promise<Answered> {
  return callFor(callers, seconds, (caller) => engine.decide(QUESTION, { client: String(caller) }))
}
