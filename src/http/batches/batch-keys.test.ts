import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { UsageStore } from '../index.ts'
import { type BatchServer, line, openBatchServer } from '../test-support/batch-server.ts'
import { LeftJobStore } from '../test-support/left-job-store.ts'
import { BODY, bearer, get, json, post } from '../test-support/requests.ts'
import { createMemoryStore } from '../usage/memory-store.ts'

const me = bearer('a')
const key = { ...me, 'idempotency-key': 'k' }
const ONE = `${line('a')}\n${line('b')}`
const OTHER = `${line('a', { state: 'Another' })}\n${line('b', { state: 'Another' })}`

let store: UsageStore
let jobs: BatchServer
beforeEach(() => {
  store = createMemoryStore()
  const keys = [
    { key: 'a', id: 'me' },
    { key: 'b', id: 'other' },
  ]
  jobs = openBatchServer({ keys, store })
})

const requests = async () => (await jobs.server.usage('me')).reduce((sum, row) => sum + row.requests, 0)
const statusOf = async (body: string, headers: Record<string, string> = key) =>
  (await jobs.sendBatch(body, headers)).status

/** Has a batch under the key, whose result is no longer kept. */
async function answerAndForget(body: string) {
  const id = await jobs.startBatch(body, { ...key })
  await jobs.until(id, 'succeeded', me)
  await jobs.ask(id, me, { method: 'DELETE' })
  return id
}

it('another batch under the key of one that was charged is refused, however long its result is gone', async () => {
  const id = await answerAndForget(ONE)
  expect(await statusOf(OTHER)).toBe(409)
  expect((await jobs.ask(id, me)).status).toBe(404)
  expect([await statusOf(OTHER, { ...key, ...bearer('b') }), await statusOf(OTHER, { ...me })]).toEqual([202, 202])
  await expect.poll(requests).toBe(4)
  expect(await answerAndForget(ONE)).toBe(id)
  expect([await requests(), jobs.stub.counts.decided]).toEqual([4, 8])
})

it('a batch and another request under one key are told apart, whichever comes first', async () => {
  await answerAndForget(ONE)
  const ask = (headers: Record<string, string>) => jobs.server.fetch(post(BODY, { headers }))
  expect((await ask(key)).status).toBe(409)
  expect((await ask({ ...me, 'idempotency-key': 'plain' })).status).toBe(200)
  const refused = await jobs.sendBatch(ONE, { ...me, 'idempotency-key': 'plain' })
  expect([refused.status, (await json(refused))['error_type']]).toEqual([409, 'idempotency_error'])
})

it('a batch of which nothing was charged frees its key', async () => {
  const stopped = openBatchServer({ keys: [{ key: 'a', id: 'me' }], store })
  stopped.hold()
  await stopped.startBatch(`${line('c')}\n${line('d')}`, key)
  await stopped.server.close()
  await answerAndForget('{}\n{}')
  jobs.hold()
  const id = await jobs.startBatch(ONE, key)
  await vi.waitUntil(() => jobs.stub.counts.running > 0)
  await jobs.ask(id, me, { method: 'DELETE' })
  jobs.open()
  expect(await statusOf(OTHER)).toBe(202)
  await expect.poll(requests).toBe(2)
})

it('a batch that was cancelled before any line was answered runs when it is sent again, and has no results', async () => {
  jobs.hold()
  const id = await jobs.startBatch(ONE, key)
  await vi.waitUntil(() => jobs.stub.counts.running > 0)
  const cancelled = await json(jobs.ask(id, me, { method: 'DELETE' }))
  expect(cancelled).toMatchObject({ status: 'cancelled', counts: { total: 2, succeeded: 0, failed: 0, cancelled: 2 } })
  expect(cancelled).not.toHaveProperty('result')
  const results = await jobs.server.fetch(get(`/v1/batches/${id}/results`, { headers: me }))
  expect([results.status, (await json(results))['message']]).toEqual([404, expect.stringContaining('was cancelled')])
  jobs.open()
  expect(await jobs.startBatch(ONE, key)).toBe(id)
  await jobs.until(id, 'succeeded', me)
  expect(await requests()).toBe(2)
})

it('a batch that goes on at another server keeps its key, though nothing of it was charged yet', async () => {
  const stopped = openBatchServer({ keys: [{ key: 'a', id: 'me' }], store, jobs: { store: new LeftJobStore() } })
  stopped.hold()
  await stopped.startBatch(ONE, key)
  await vi.waitUntil(() => stopped.stub.counts.running > 0)
  await stopped.server.close()
  expect((await jobs.server.fetch(post(BODY, { headers: key }))).status).toBe(409)
})

describe('a batch that took most of a day keeps its key for a day from its end', () => {
  const HOUR_MS = 3600_000
  let left: LeftJobStore
  let first: BatchServer
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
    left = new LeftJobStore()
    first = serveLeft()
  })
  afterEach(async () => {
    vi.useRealTimers()
    await first.close()
  })

  const serveLeft = () => openBatchServer({ keys: [{ key: 'a', id: 'me' }], store, jobs: { store: left } })
  const pass = (hours: number) => vi.setSystemTime(Date.now() + hours * HOUR_MS)

  async function begin() {
    first.hold()
    const id = await first.startBatch(ONE, key)
    await vi.waitUntil(() => first.stub.counts.running > 0)
    pass(23)
    return id
  }

  async function endAndAsk({ until, ask, sendBatch }: BatchServer, id: string) {
    await until(id, 'succeeded', me)
    await ask(id, me, { method: 'DELETE' })
    pass(2)
    return (await sendBatch(OTHER, key)).status
  }

  it('at one server', async () => {
    const id = await begin()
    first.open()
    expect(await endAndAsk(first, id)).toBe(409)
  })

  it('at the server that took it over', async () => {
    const id = await begin()
    await first.server.close()
    await left.leave((await left.read(id))!)
    const second = serveLeft()
    vi.advanceTimersByTime(3000)
    expect(await endAndAsk(second, id)).toBe(409)
    await second.close()
  })
})
