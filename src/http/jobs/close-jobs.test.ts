import { expect, it } from 'vitest'
import { line, openBatchServer } from '../test-support/batch-server.ts'
import { openJobServer } from '../test-support/job-server.ts'
import { bearer, BODY, json } from '../test-support/requests.ts'
import { createMemoryStore } from '../usage/memory-store.ts'
import type { Job } from './job.ts'
import { MemoryJobStore } from './memory-job-store.ts'

/** A store that takes what comes while its server closes. */
function makeSlowStore() {
  const { promise: reached, resolve: reach } = makeGate()
  const { promise: answered, resolve: answer } = makeGate()
  class SlowStore extends MemoryJobStore {
    override async add(job: Job) {
      reach()
      await answered
      return super.add(job)
    }
  }
  return { store: new SlowStore(), reached, answer }
}

const KEYS = [{ key: 'a', id: 'me' }]

it('a job whose start is under way when the server closes is refused', async () => {
  const { store, reached, answer } = makeSlowStore()
  const jobs = openJobServer({ keys: KEYS, jobs: { store } })
  jobs.hold()
  const started = jobs.start(BODY, '/v1/systemone', bearer('a'))
  await reached
  const closed = jobs.server.close()
  answer()
  const { response, job } = await started
  await closed
  // Nothing was promised yet, so the client may ask another process at once.
  expect([response.status, job['error_type'], jobs.stub.counts.decided]).toEqual([529, 'overloaded', 0])
  expect(await store.list('me')).toEqual([])
})

it('a batch whose start is under way when the server closes is refused, and its key free', async () => {
  const { store, reached, answer } = makeSlowStore()
  const usage = createMemoryStore()
  const jobs = openBatchServer({ keys: KEYS, store: usage, jobs: { store } })
  const key = { ...bearer('a'), 'idempotency-key': 'k' }
  const started = jobs.sendBatch(line('a'), key)
  await reached
  const closed = jobs.server.close()
  answer()
  const response = await started
  await closed
  expect([response.status, (await json(response))['error_type'], jobs.stub.counts.decided]).toEqual([
    529,
    'overloaded',
    0,
  ])
  expect(await store.list('me')).toEqual([])
  const other = openBatchServer({ keys: KEYS, store: usage })
  await other.startBatch(line('another'), key)
})

it('a batch is stopped when the server closes, and what was answered of it is charged', async () => {
  const store = new MemoryJobStore()
  const jobs = openBatchServer({ keys: KEYS, jobs: { store, concurrency: 1 } })
  const { decide } = jobs.stub.engine
  Object.assign(jobs.stub.engine, {
    decide: async (...call: Parameters<typeof decide>) => {
      if (jobs.stub.counts.decided === 1) jobs.hold()
      return decide(...call)
    },
  })
  const id = await jobs.startBatch(`${line('a')}\n${line('b')}`, bearer('a'))
  await expect.poll(() => [jobs.stub.counts.decided, jobs.stub.counts.running]).toEqual([1, 1])
  await jobs.server.close()
  expect(await store.read(id)).toMatchObject({ status: 'failed', error: { error_type: 'overloaded' } })
  expect(await jobs.server.usage('me')).toMatchObject([{ requests: 1 }])
})

function makeGate() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
