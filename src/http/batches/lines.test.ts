import { describe, expect, it, vi } from 'vitest'
import { nextTask } from '../../engine/worker/next-task.ts'
import { InternalError, OverloadedError } from '../../errors/index.ts'
import { openBatchServer, line } from '../test-support/batch-server.ts'
import { BODY, bearer, json, post } from '../test-support/requests.ts'

describe('a line', () => {
  it('whose answer fails says why, and is not charged', async () => {
    const jobs = openBatchServer({ keys: [{ key: 'a', id: 'me', models: ['decide-latest'] }] })
    jobs.stub.failure = new InternalError('SECRET')
    const id = await jobs.startBatch(`${line('a')}\n${line('b', { model: 'other' })}`, bearer('a'))
    await jobs.until(id, 'succeeded', bearer('a'))
    const results = await jobs.resultsOf(id, bearer('a'))
    expect([1, 2].map((at) => [results.get(at).error.status, results.get(at).error.error_type])).toEqual([
      [500, 'internal_error'],
      [403, 'permission_error'],
    ])
    expect(JSON.stringify([...results])).not.toContain('SECRET')
    expect(await jobs.server.usage('me')).toEqual([])
  })

  it('has no name that an Idempotency-Key can be', async () => {
    const jobs = openBatchServer({ keys: [{ key: 'a', id: 'me' }] })
    const id = await jobs.startBatch(line('a'), { ...bearer('a'), 'idempotency-key': 'k' })
    await jobs.until(id, 'succeeded', bearer('a'))
    const ask = (key: string) =>
      jobs.server.fetch(post({ ...BODY, state: 'y' }, { headers: { ...bearer('a'), 'idempotency-key': key } }))
    expect((await ask('k:1')).status).toBe(200)
    expect((await ask('k\t1')).status).toBe(400)
    expect(await jobs.server.usage('me')).toMatchObject([{ requests: 2 }])
  })

  it('beyond the balance gets 402, and those before it are charged', async () => {
    const jobs = openBatchServer({ keys: [{ key: 'a', id: 'me', freeTokens: 20 }], jobs: { concurrency: 1 } })
    const id = await jobs.startBatch(
      `${line('a', { state: 'x'.repeat(10) })}\n${line('b', { state: 'x'.repeat(10) })}`,
      bearer('a'),
    )
    await jobs.until(id, 'succeeded', bearer('a'))
    const results = [...(await jobs.resultsOf(id, bearer('a'))).values()]
    expect(results.map(({ error }) => error?.status ?? 200).sort()).toEqual([200, 402])
  })

  it('waits where the service is busy or the minute of its key is full', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      const jobs = openBatchServer({ keys: [{ key: 'a', id: 'me', tokensPerMinute: 12 }] })
      const id = await jobs.startBatch(
        `${line('a', { state: 'x'.repeat(8) })}\n${line('b', { state: 'x'.repeat(8) })}`,
        bearer('a'),
      )
      await expect.poll(async () => (await json(jobs.ask(id, bearer('a'))))['counts']).toMatchObject({ succeeded: 1 })
      expect(await json(jobs.ask(id, bearer('a')))).toMatchObject({ status: 'running' })
      expect(await json(jobs.ask(id, bearer('a'), { method: 'DELETE' }))).toMatchObject({ status: 'cancelled' })
    } finally {
      vi.useRealTimers()
    }
    const jobs = openBatchServer()
    jobs.stub.failure = new OverloadedError('full', { retryAfterMs: 20 })
    const id = await jobs.startBatch(line('a'))
    await expect.poll(() => jobs.stub.clients.length).toBeGreaterThan(2)
    jobs.stub.failure = undefined
    await jobs.until(id, 'succeeded')
  })

  it('gives way to other requests of its own account and of others', async () => {
    const jobs = openBatchServer({ keys: ['a', 'b'].map((key) => ({ key, id: key })), jobs: { concurrency: 1 } })
    const order: string[] = []
    const { decide } = jobs.stub.engine
    Object.assign(jobs.stub.engine, {
      decide: async (body: { state: string }, call: { priority?: string }) => {
        order.push(`${body.state} ${call.priority}`)
        return decide(body as never, call as never)
      },
    })
    jobs.hold()
    const id = await jobs.startBatch(['L0', 'L1', 'L2'].map((state) => line(state, { state })).join('\n'), bearer('a'))
    await expect.poll(() => jobs.stub.counts.running).toBe(1)
    // Its other lines begin to wait one by one, a task of the event loop each.
    for (let i = 0; i < 20; i++) await nextTask()
    for (const [key, state] of [
      ['a', 'A1'],
      ['b', 'B1'],
      ['a', 'A2'],
      ['b', 'B2'],
    ] as const) {
      await jobs.start({ ...BODY, state }, '/v1/systemone', bearer(key))
    }
    jobs.open()
    await jobs.until(id, 'succeeded', bearer('a'))
    expect(order).toEqual(['L0 half', 'A1 normal', 'B1 normal', 'L1 half', 'A2 normal', 'B2 normal', 'L2 half'])
  })
})
