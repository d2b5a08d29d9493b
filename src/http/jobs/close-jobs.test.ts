import { afterEach, expect, it } from 'vitest'
import { type JobServer, openJobServer } from '../test-support/job-server.ts'
import { BODY } from '../test-support/requests.ts'
import type { Job } from './job.ts'
import { MemoryJobStore } from './memory-job-store.ts'

let jobs: JobServer
afterEach(() => jobs.close())

it('a job whose start is under way when the server closes is stopped with the others', async () => {
  const { promise: reached, resolve: reach } = makeGate()
  const { promise: answered, resolve: answer } = makeGate()
  class SlowStore extends MemoryJobStore {
    override async add(job: Job) {
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
  const { job } = await started
  await closed
  expect(await store.read(String(job['id']))).toMatchObject({ status: 'failed', error: { error_type: 'overloaded' } })
})

function makeGate() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
