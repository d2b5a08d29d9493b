import { describe, expect, it, vi } from 'vitest'
import { InternalError, StoreUnavailableError } from '../../errors/index.ts'
import { type BatchServer, line, openBatchServer } from '../test-support/batch-server.ts'
import { LeftJobStore } from '../test-support/left-job-store.ts'
import { BODY, bearer, json, post } from '../test-support/requests.ts'
import { makeJob } from './make-job.ts'

/** Jobs that were left are looked for so often. */
const BEAT_MS = 3000
const KEYS = [{ key: 'a', id: 'me' }]
const me = bearer('a')

let jobs: BatchServer

/** What the log has of anything but the requests that the client made. */
const faults = () => jobs.entries.filter(({ requestId }) => requestId.startsWith('job_'))

describe('the log', () => {
  it('says why a line of a batch has no answer, where the fault is of the server, under the id that its result has', async () => {
    jobs = openBatchServer({ keys: KEYS })
    const { decide } = jobs.stub.engine
    const boom = new InternalError('boom')
    const failing: typeof decide = async (body, call) => {
      if ((body as { readonly state: unknown }).state === 'CANARY') throw boom
      return decide(body, call)
    }
    Object.assign(jobs.stub.engine, { decide: failing })
    const id = await jobs.startBatch(
      [line('a'), line('b', { state: 'CANARY' }), line('c', { state: 1 })].join('\n'),
      me,
    )
    await jobs.until(id, 'succeeded', me)
    const results = await jobs.resultsOf(id, me)
    expect(results.get(2)).toMatchObject({ error: { status: 500 }, request_id: `${id}:2` })
    expect(results.get(3)).toEqual({ custom_id: 'c', line: 3, error: expect.objectContaining({ status: 422 }) })
    expect(faults()).toEqual([
      {
        requestId: `${id}:2`,
        method: 'POST',
        route: '/v1/batches',
        account: 'me',
        status: 500,
        milliseconds: expect.any(Number),
        error: boom,
      },
    ])
    expect(JSON.stringify([...results.values()])).not.toContain('boom')
  })

  interface Course {
    /** Of the engine. */
    readonly failure?: unknown
    readonly store?: LeftJobStore
    /** What comes before the job is found. */
    readonly before?: () => Promise<void>
  }

  async function takeOver(path: string, json: unknown, takenOver: number, course: Course = {}) {
    const { failure, store = new LeftJobStore(), before } = course
    const request = { body: { json }, caller: { id: 'me' }, idempotencyKey: 'k' }
    const made = makeJob({ account: 'me', path, keepMs: 60_000, request })
    await store.leave({ ...made, status: 'running', takenOver })
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    jobs = openBatchServer({ keys: KEYS, jobs: { store, concurrency: 1 } })
    await before?.()
    jobs.stub.failure = failure
    vi.advanceTimersByTime(BEAT_MS)
    vi.useRealTimers()
    return made.id
  }

  it('says why a job that was taken over failed, under its id', async () => {
    const boom = new InternalError('boom')
    const id = await takeOver('/v1/systemone', BODY, 0, { failure: boom })
    await jobs.until(id, 'failed', me)
    expect(faults()).toEqual([
      expect.objectContaining({ requestId: id, route: '/v1/systemone', account: 'me', status: 500, error: boom }),
    ])
  })

  it('says why a job failed whose end could not be written', async () => {
    const store = new LeftJobStore()
    const write = store.write.bind(store)
    store.write = async (job) => {
      if (job.status === 'failed') throw new StoreUnavailableError()
      return write(job)
    }
    const boom = new InternalError('boom')
    await takeOver('/v1/systemone', BODY, 0, { failure: boom, store })
    await expect.poll(faults).toMatchObject([{ error: boom }])
  })

  it.each([
    ['/v1/systemone', BODY],
    ['/v1/batches', [{ at: 1, value: { custom_id: 'c', ...BODY } }]],
  ])('says that one process after another ended with a job of %s', async (path, body) => {
    const id = await takeOver(path, body, 2)
    await jobs.until(id, 'failed', me)
    expect(faults()).toMatchObject([{ requestId: id, route: path, status: 500, error: { code: 'worker_crashed' } }])
  })

  it('has nothing of a job that was taken over and is answered, or refused', async () => {
    const id = await takeOver('/v1/systemone', BODY, 0)
    await jobs.until(id, 'succeeded', me)
    await jobs.close()
    expect(faults()).toEqual([])
    const refused = await takeOver('/v1/systemone', { ...BODY, state: 1 }, 0)
    await jobs.until(refused, 'failed', me)
    expect(await json(jobs.ask(refused, me))).toMatchObject({ error: { status: 422 } })
    expect(faults()).toEqual([])
  })

  it('has nothing of a job that was taken over and whose key is of another request', async () => {
    const before = async () => {
      const other = post({ ...BODY, state: 'other' }, { headers: { ...me, 'idempotency-key': 'k' } })
      expect((await jobs.server.fetch(other)).status).toBe(200)
    }
    const id = await takeOver('/v1/systemone', BODY, 0, { before })
    await jobs.until(id, 'failed', me)
    expect(await json(jobs.ask(id, me))).toMatchObject({ error: { status: 409 } })
    await jobs.close()
    expect(faults()).toEqual([])
  })
})
