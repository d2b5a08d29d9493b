import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import type { Job } from '../jobs/job.ts'
import { makeJob } from '../jobs/make-job.ts'
import { type BatchServer, openBatchServer } from '../test-support/batch-server.ts'
import { LeftJobStore } from '../test-support/left-job-store.ts'
import { BODY, bearer, get, json } from '../test-support/requests.ts'

/** Jobs that were left are looked for so often. */
const BEAT_MS = 3000
const TAKEN = { timeout: 10_000 }
const me = bearer('a')

let jobs: BatchServer

describe('a batch whose processes ended', () => {
  interface Left {
    readonly lines: number
    /** Their numbers. */
    readonly answered?: readonly number[]
    readonly takenOver: number
    /** The line that is never answered. */
    readonly held?: number
    /** Whether the store keeps no parts. */
    readonly isAway?: boolean
  }

  async function takeOver({ lines, answered = [], takenOver, held, isAway }: Left) {
    const store = new LeftJobStore()
    if (isAway) Object.assign(store.shared, { keepPart: () => Promise.reject(new Error('away')) })
    const json = Array.from({ length: lines }, (_, index) => {
      return { at: index + 1, value: { custom_id: `c${index + 1}`, ...BODY, state: `${index + 1}` } }
    })
    const caller = { id: 'me' }
    const made = makeJob({ account: 'me', path: '/v1/batches', keepMs: 60_000, request: { body: { json }, caller } })
    if (answered.length > 0) store.parts.push(JSON.stringify(answered.map(answerOf)))
    await store.leave({ ...made, status: 'running', takenOver })
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    jobs = openBatchServer({ keys: [{ key: 'a', id: 'me' }], jobs: { store, concurrency: 100 } })
    if (held !== undefined) holdLine(held)
    vi.advanceTimersByTime(BEAT_MS)
    vi.useRealTimers()
    return { id: made.id, store }
  }

  const answerOf = (line: number) => ({ custom_id: `c${line}`, line, response: { answers: { n: line } } })
  const read = (id: string) => json(jobs.ask(id, me))

  it('with it keeps what was answered, which was charged, and says why the rest is missing', async () => {
    const { id } = await takeOver({ lines: 3, answered: [1, 3], takenOver: 2 })
    await expect
      .poll(() => read(id), TAKEN)
      .toMatchObject({
        status: 'failed',
        error: { status: 500, error_type: 'worker_crashed' },
        counts: { total: 3, succeeded: 2, failed: 0, cancelled: 1 },
        result: [answerOf(1), answerOf(3)],
      })
    expect([...(await jobs.resultsOf(id, me)).values()]).toEqual([answerOf(1), answerOf(3)])
    expect(jobs.stub.counts.decided).toBe(0)
  })

  it('has succeeded where all lines were answered', async () => {
    const { id } = await takeOver({ lines: 2, answered: [1, 2], takenOver: 2 })
    await expect.poll(() => read(id), TAKEN).toMatchObject({ status: 'succeeded', counts: { total: 2, succeeded: 2 } })
  })

  it('before any line was answered has no results', async () => {
    const { id } = await takeOver({ lines: 2, takenOver: 2 })
    await expect
      .poll(() => read(id), TAKEN)
      .toMatchObject({ status: 'failed', error: { error_type: 'worker_crashed' } })
    const response = await jobs.server.fetch(get(`/v1/batches/${id}/results`, { headers: me }))
    expect([response.status, (await json(response))['message']]).toEqual([404, expect.stringContaining('batch failed')])
  })

  function holdLine(line: number) {
    const { decide } = jobs.stub.engine
    const held: typeof decide = async (body, call) => {
      if ((body as { readonly state: unknown }).state === `${line}`) {
        await new Promise((_, reject) => call?.signal?.addEventListener('abort', reject))
      }
      return decide(body, call)
    }
    Object.assign(jobs.stub.engine, { decide: held })
  }

  const keptOf = ({ parts }: LeftJobStore) => parts.flatMap((part) => JSON.parse(part) as { readonly line: number }[])
  const isTaken = ({ takenOver, status }: Job) => [status, takenOver]

  it('counts the next ones anew when its first lines did not end this one', async () => {
    const { id, store } = await takeOver({ lines: 80, takenOver: 1, held: 65 })
    await expect.poll(async () => isTaken((await store.read(id))!), TAKEN).toEqual(['running', 0])
    // Whoever takes it over begins with the line that may end it.
    const first = Array.from({ length: 64 }, (_, index) => index + 1)
    const kept = () => keptOf(store).map(({ line }) => line)
    await expect.poll(kept, TAKEN).toEqual(expect.arrayContaining(first))
  })

  it('counts on while one of its first lines may end this one, too', async () => {
    const { id, store } = await takeOver({ lines: 80, takenOver: 1, held: 1 })
    await expect.poll(() => keptOf(store).length, TAKEN).toBe(79)
    expect(isTaken((await store.read(id))!)).toEqual(['running', 2])
  })

  it('waits where no more can be kept, until it is stopped', async () => {
    const { id } = await takeOver({ lines: 200, takenOver: 0, isAway: true })
    await expect.poll(() => jobs.stub.counts.decided, TAKEN).toBeGreaterThanOrEqual(32)
    await sleep(1500)
    expect(jobs.stub.counts.decided).toBeLessThan(64)
    await jobs.ask(id, me, { method: 'DELETE' })
    expect(await read(id)).toMatchObject({ status: 'cancelled', counts: { total: 200, failed: 0 } })
  })
})
