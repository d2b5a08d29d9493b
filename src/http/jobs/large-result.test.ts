import { expect, it } from 'vitest'
import { line, openBatchServer } from '../test-support/batch-server.ts'
import { eventsOf } from '../test-support/job-server.ts'
import { get, IMAGE_BODIES, json } from '../test-support/requests.ts'

const BYTES = 16 * 2 ** 20

/** Asks 40 times, and says by how many bytes memory has grown while nobody reads the answers. */
async function askUnread(ask: (index: number) => Promise<Response>) {
  const before = process.memoryUsage()
  const unread = await Promise.all(Array.from({ length: 40 }, (_, index) => ask(index)))
  const after = process.memoryUsage()
  return { unread, grown: after.heapUsed + after.external - before.heapUsed - before.external }
}

it('the result of a job is held in memory once, however many clients do not read it', async () => {
  const [path, body] = IMAGE_BODIES[0]
  const jobs = openBatchServer()
  const data = [{ b64_json: 'A'.repeat(BYTES) }]
  Object.assign(jobs.stub.engine, { generateImage: async () => ({ data, warnings: [] }) })
  const { job } = await jobs.start(body, path)
  await jobs.until(job['id'], 'succeeded')
  const { unread, grown } = await askUnread((index) => jobs.ask(job['id'], {}, {}, index % 2 === 0 ? '' : '/events'))
  expect(grown).toBeLessThan(4 * BYTES)
  const [whole, events] = unread
  expect(await json(whole!)).toMatchObject({ status: 'succeeded', result: { data } })
  expect((await eventsOf(events!)).at(-1)).toMatchObject(['job.succeeded', { result: { data } }])
})

it('the results of a batch are held in memory once, and are not written again for each client', async () => {
  const jobs = openBatchServer()
  const { decide } = jobs.stub.engine
  const model = 'm'.repeat(BYTES / 16)
  Object.assign(jobs.stub.engine, {
    decide: async (...call: Parameters<typeof decide>) => ({ ...(await decide(...call)), model }),
  })
  const id = await jobs.startBatch(Array.from({ length: 16 }, (_, index) => line(`${index}`)).join('\n'))
  await jobs.until(id, 'succeeded')
  const { unread, grown } = await askUnread(() => jobs.server.fetch(get(`/v1/batches/${id}/results`)))
  expect(grown).toBeLessThan(4 * BYTES)
  const head = await jobs.server.fetch(get(`/v1/batches/${id}/results`, { method: 'HEAD' }))
  expect([head.status, head.headers.get('content-type')]).toEqual([200, 'application/jsonl'])
  const text = await unread[0]!.text()
  expect(unread[0]!.headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
  const results = text.trimEnd().split('\n')
  expect(results.map((each) => (JSON.parse(each) as { response: { model: string } }).response.model)).toEqual(
    Array.from({ length: 16 }, () => model),
  )
})
