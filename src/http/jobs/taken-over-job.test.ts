import { expect, it, vi } from 'vitest'
import { OverloadedError, type TesseraError } from '../../errors/index.ts'
import { type JobServer, openJobServer } from '../test-support/job-server.ts'
import { LeftJobStore } from '../test-support/left-job-store.ts'
import { BODY, bearer, json } from '../test-support/requests.ts'
import { makeJob } from './make-job.ts'

/** Jobs that were left are looked for so often. */
const BEAT_MS = 3000
const me = bearer('a')

let jobs: JobServer

async function takeOver(failure: TesseraError): Promise<string> {
  const store = new LeftJobStore()
  const request = { body: { json: BODY }, caller: { id: 'me' } }
  const made = makeJob({ account: 'me', path: '/v1/systemone', keepMs: 60_000, request })
  await store.leave({ ...made, status: 'running', takenOver: 0 })
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  jobs = openJobServer({ keys: [{ key: 'a', id: 'me' }], jobs: { store, concurrency: 1 } })
  jobs.stub.failure = failure
  vi.advanceTimersByTime(BEAT_MS)
  vi.useRealTimers()
  await expect.poll(() => jobs.stub.clients.length).toBeGreaterThan(0)
  return made.id
}

it('one that is taken over is asked for again where it is refused', async () => {
  const id = await takeOver(new OverloadedError('full', { retryAfterMs: 100 }))
  jobs.stub.failure = undefined
  await jobs.until(id, 'succeeded', me)
})

it('one that waits to be asked for again keeps no other from its turn, and is stopped at once', async () => {
  const id = await takeOver(new OverloadedError('full', { retryAfterMs: 600_000 }))
  jobs.stub.failure = undefined
  const { job } = await jobs.start(BODY, '/v1/systemone', me)
  await jobs.until(job['id'], 'succeeded', me)
  expect(await json(jobs.ask(id, me, { method: 'DELETE' }))).toMatchObject({ status: 'cancelled' })
})
