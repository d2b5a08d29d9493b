import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { DecisionService } from '../decisions/decision-service.ts'
import type { BatchSteps } from '../jobs/job-handler.ts'
import type { JobRequest } from '../jobs/job.ts'
import { createBatchAnswer } from './answer-batch.ts'
import type { BatchResult } from './batch-wire.ts'

/** As many processes may end with a batch; the next one does not begin it. */
const MOST_DEATHS = 3
const LINES = 1000

interface Course {
  /** Whether the process ends with a line. @param decided lines that it has answered */
  readonly endsWith: (line: number, decided: number) => boolean
  /** How long the store takes to keep a part. @param tries parts that it was given before */
  readonly keep: (tries: number) => Promise<void>
}

/** One process after another works on a batch, each until it ends. */
class Fleet {
  readonly #course: Course
  readonly #parts: string[] = []
  #takenOver = 0
  #tries = 0
  deaths = 0

  constructor(course: Course) {
    this.#course = course
  }

  get kept(): number {
    return new Set(this.#parts.flatMap((part) => (JSON.parse(part) as BatchResult[]).map(({ line }) => line))).size
  }

  /** @returns what became of the batch */
  async work(): Promise<'done' | 'given up'> {
    while ((await this.#live()) === 'dead') {
      this.deaths++
      if (++this.#takenOver >= MOST_DEATHS) return 'given up'
    }
    return 'done'
  }

  #live(): Promise<'done' | 'dead'> {
    return new Promise((resolve, reject) => {
      const process = { isDead: false }
      const die = () => {
        process.isDead = true
        resolve('dead')
      }
      const answer = createBatchAnswer({
        decisions: this.#decisions(process, die),
        dialect: 'openai',
        parse: (body) => body as never,
        // Without an Idempotency-Key none is kept.
        requests: undefined as never,
      })
      const lines = Array.from({ length: LINES }, (_, at) => ({ at: at + 1, value: { custom_id: `c${at + 1}`, at } }))
      const request = { body: { json: lines }, caller: { id: 'me' } } as unknown as JobRequest
      const notes = { noteUnits: () => {}, noteTokens: () => {}, noteTimings: () => {} }
      answer(request, this.#steps(process), new AbortController().signal, notes).then(() => resolve('done'), reject)
    })
  }

  #decisions(process: { readonly isDead: boolean }, die: () => void): DecisionService {
    let decided = 0
    const decide = async (request: unknown) => {
      await sleep(1)
      if (!process.isDead && this.#course.endsWith((request as { readonly at: number }).at + 1, decided++)) die()
      // Nothing of a process that has ended goes on.
      if (process.isDead) await new Promise(() => {})
      return { answers: {} } as never
    }
    return { decide }
  }

  #steps(process: { readonly isDead: boolean }): BatchSteps {
    return {
      admit: () => {},
      pause: () => {},
      begin: async () => {},
      beginLine: async () => () => {},
      onProgress: () => {},
      onPartial: () => {},
      onCounts: () => {},
      tellFault: () => undefined,
      isShared: true,
      readParts: async () => [...this.#parts],
      keepPart: async (part) => {
        await this.#course.keep(this.#tries++)
        if (!process.isDead) this.#parts.push(part)
      },
      countAnew: async () => {
        if (!process.isDead) this.#takenOver = 0
      },
    }
  }
}

const STORES: readonly (readonly [string, Course['keep']])[] = [
  ['quick', async () => {}],
  ['slow', () => sleep(20)],
  [
    'sometimes away',
    async (tries) => {
      if (tries % 5 === 4) throw new Error('away')
    },
  ],
]

it.each(STORES)(
  'a line that ends every process ends three of them, however quick the lines are: a store that is %s',
  async (_, keep) => {
    const fleet = new Fleet({ keep, endsWith: (line) => line === 700 })
    expect([await fleet.work(), fleet.deaths]).toEqual(['given up', MOST_DEATHS])
    // All before it but those of its moment.
    expect(fleet.kept).toBeGreaterThan(700 - 64)
    expect(fleet.kept).toBeLessThan(LINES)
  },
  30_000,
)

it.each(STORES)(
  'a batch that gets on is never given up, however many processes end: a store that is %s',
  async (_, keep) => {
    const fleet = new Fleet({ keep, endsWith: (_line, decided) => decided === 150 })
    expect(await fleet.work()).toBe('done')
    expect(fleet.deaths).toBeGreaterThan(MOST_DEATHS)
  },
  30_000,
)
