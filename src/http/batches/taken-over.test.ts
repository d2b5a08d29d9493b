import { afterEach, describe, expect, it, vi } from 'vitest'
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
afterEach(() => jobs.close())

describe('a batch whose processes ended', () => {
  interface Left {
    readonly lines: number
    /** Their numbers. */
    readonly answered?: readonly number[]
    readonly takenOver: number
    /** The line that is never answered. */
    readonly held?: number
  }

  async function takeOver({ lines, answered = [], takenOver, held }: Left) {
    const store = new LeftJobStore()
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
    const { id, store } = await takeOver({ lines: 40, takenOver: 1, held: 33 })
    await expect.poll(async () => isTaken((await store.read(id))!), TAKEN).toEqual(['running', 0])
    // Whoever takes it over begins with the line that may end it.
    const first = Array.from({ length: 32 }, (_, index) => index + 1)
    expect(keptOf(store).map(({ line }) => line)).toEqual(expect.arrayContaining(first))
  })

  it('counts on while one of its first lines may end this one, too', async () => {
    const { id, store } = await takeOver({ lines: 40, takenOver: 1, held: 1 })
    await expect.poll(() => keptOf(store).length, TAKEN).toBe(39)
    expect(isTaken((await store.read(id))!)).toEqual(['running', 2])
  })
})
