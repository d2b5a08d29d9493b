import { expect, it } from 'vitest'
import { line, openBatchServer } from '../test-support/batch-server.ts'
import { BODY, bearer, IMAGE_BODIES } from '../test-support/requests.ts'

it('jobs and batches of decisions are not kept waiting by pictures, which take minutes', async () => {
  const jobs = openBatchServer({ keys: ['a', 'b'].map((key) => ({ key, id: key })), jobs: { concurrency: 1 } })
  jobs.hold()
  const [path, body] = IMAGE_BODIES[0]
  const drawn = await jobs.start(body, path, bearer('a'))
  const second = await jobs.start(body, path, bearer('a'))
  expect(second.job).toMatchObject({ status: 'queued', place: 1 })
  const { job } = await jobs.start(BODY, '/v1/systemone', bearer('b'))
  await jobs.until(job['id'], 'running', bearer('b'))
  const batch = await jobs.startBatch(line('x'), bearer('a'))
  expect(jobs.stub.clients).toEqual(['a', 'b'])
  jobs.open()
  for (const id of [drawn.job['id'], second.job['id'], batch]) await jobs.until(id, 'succeeded', bearer('a'))
})
