import { afterEach, expect, it } from 'vitest'
import { line, openBatchServer } from '../test-support/batch-server.ts'
import { type JobServer, openJobServer } from '../test-support/job-server.ts'
import { bearer, BODY } from '../test-support/requests.ts'
import type { Job } from './job.ts'
import { MemoryJobStore } from './memory-job-store.ts'

let jobs: JobServer
afterEach(() => jobs.close())

it('a job whose start is under way when the server closes is stopped with the others', async () => {
  const { promise: reached, resolve: reach } = makeGate()
  const { promise: answered, resolve: answer } = makeGate()
  class SlowStore extends MemoryJobStore {
    account: string | undefined
    override async add(job: Job) {
      this.account = job.account
      reach()
      await answered
      return super.add(job)
    }
  }
  const store = new SlowStore()
  jobs = openJobServer({ jobs: { store } })
  jobs.hold()
  const started = jobs.start(BODY)
  await reached
  const closed = jobs.server.close()
  answer()
  const { response, job } = await started
  await closed
  // Nothing was promised yet, so the client may ask another process at once.
  expect([response.status, job['error_type'], jobs.stub.counts.decided]).toEqual([529, 'overloaded', 0])
  expect(await store.list(store.account!)).toEqual([])
})

it('a batch is stopped when the server closes, and what was answered of it is charged', async () => {
  const store = new MemoryJobStore()
  const batches = openBatchServer({ keys: [{ key: 'a', id: 'me' }], jobs: { store, concurrency: 1 } })
  jobs = batches
  const { decide } = jobs.stub.engine
  Object.assign(jobs.stub.engine, {
    decide: async (...call: Parameters<typeof decide>) => {
      if (jobs.stub.counts.decided === 1) jobs.hold()
      return decide(...call)
    },
  })
  const id = await batches.startBatch(`${line('a')}\n${line('b')}`, bearer('a'))
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
