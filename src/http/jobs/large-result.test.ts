import { afterEach, expect, it } from 'vitest'
import { eventsOf, type JobServer, openJobServer } from '../test-support/job-server.ts'
import { IMAGE_BODIES, json } from '../test-support/requests.ts'

let jobs: JobServer
afterEach(() => jobs.close())

it('the result of a job is held in memory once, however many clients do not read it', async () => {
  const [path, body] = IMAGE_BODIES[0]
  jobs = openJobServer()
  const data = [{ b64_json: 'A'.repeat(16 * 2 ** 20) }]
  Object.assign(jobs.stub.engine, { generateImage: async () => ({ data, warnings: [] }) })
  const { job } = await jobs.start(body, path)
  await jobs.until(job['id'], 'succeeded')
  const before = process.memoryUsage()
  const unread = await Promise.all(
    Array.from({ length: 40 }, (_, index) => jobs.ask(job['id'], {}, {}, index % 2 === 0 ? '' : '/events')),
  )
  const after = process.memoryUsage()
  const grown = after.heapUsed + after.external - before.heapUsed - before.external
  expect(grown).toBeLessThan(4 * data[0]!.b64_json.length)
  const [whole, events] = unread
  expect(await json(whole!)).toMatchObject({ status: 'succeeded', result: { data } })
  expect((await eventsOf(events!)).at(-1)).toMatchObject(['job.succeeded', { result: { data } }])
})
