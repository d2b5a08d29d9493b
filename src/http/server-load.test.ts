import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { InternalError, OverloadedError } from '../errors/index.ts'
import { createServer, type ServerOptions } from './index.ts'
import { BODY, bearer, get, json, post } from './test-support/requests.ts'
import { createStubEngine, type StubEngine } from './test-support/stub-engine.ts'

let stub: StubEngine
beforeEach(() => {
  stub = createStubEngine()
})
const serve = (options: Omit<ServerOptions, 'engine'> = {}) => createServer({ engine: stub.engine, ...options })

/** Holds every call to the engine until the returned function is called. */
function hold(): () => void {
  const open = stub.hold()
  return open
}

describe('load', () => {
  it.each([{}, { concurrency: undefined }])(
    'of one key beyond 32 is refused with 429 where the limits are %j',
    async (limits) => {
      const { fetch } = serve({ keys: ['a'], limits: limits as { concurrency?: number } })
      const open = hold()
      const send = () => fetch(post(BODY, { headers: bearer('a') }))
      const first = Array.from({ length: 32 }, send)
      expect((await send()).status).toBe(429)
      open()
      expect(new Set((await Promise.all(first)).map(({ status }) => status))).toEqual(new Set([200]))
    },
  )

  it('of one key beyond its concurrency is refused with 429, and taken later', async () => {
    const { fetch } = serve({ keys: ['a', 'b'], limits: { concurrency: 1 } })
    const open = hold()
    const first = fetch(post(BODY, { headers: bearer('a') }))
    const second = await fetch(post(BODY, { headers: bearer('a') }))
    expect(second.status).toBe(429)
    expect(await json(second)).toMatchObject({ error_type: 'rate_limit_error' })
    const other = fetch(post(BODY, { headers: bearer('b') }))
    open()
    expect([(await first).status, (await other).status]).toEqual([200, 200])
    expect((await fetch(post(BODY, { headers: bearer('a') }))).status).toBe(200)
  })

  it('that the engine refuses gives 529 with both headers', async () => {
    const { fetch } = serve()
    stub.failure = new OverloadedError()
    const response = await fetch(post(BODY))
    expect([response.status, response.headers.get('retry-after'), response.headers.get('retry-after-ms')]).toEqual([
      529,
      '1',
      '1000',
    ])
    expect(await json(response)).toMatchObject({ error_type: 'overloaded' })
    stub.failure = undefined
    expect((await fetch(post(BODY))).status).toBe(200)
  })

  it('does not let a broken request through to the engine, nor keep its place', async () => {
    const { fetch } = serve({ keys: ['a'], limits: { concurrency: 1 } })
    for (let i = 0; i < 3; i++) expect((await fetch(post('{', { headers: bearer('a') }))).status).toBe(422)
    expect(stub.clients).toEqual([])
  })
})

describe('a client that hangs up', () => {
  it('stops the engine after the time in which its next try may come, pays nothing and leaves nothing behind', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const keys = [{ key: 'a', id: 'me', freeTokens: 1000, concurrency: 1 }]
    const server = serve({ keys })
    hold()
    const controller = new AbortController()
    const { signal } = controller
    const answered = server.fetch(post(BODY, { headers: bearer('a'), signal }))
    await vi.waitUntil(() => stub.counts.running === 1, { timeout: 120_000 })
    controller.abort()
    expect((await answered).status).toBe(499)
    await vi.advanceTimersByTimeAsync(10_000)
    vi.useRealTimers()
    expect(stub.counts).toMatchObject({ aborted: 1, running: 0 })
    expect(await server.usage('me')).toEqual([])
    stub.gate = Promise.resolve()
    expect((await server.fetch(post(BODY, { headers: bearer('a') }))).status).toBe(200)
  })

  it('as the answer is made pays nothing', async () => {
    const server = serve()
    const controller = new AbortController()
    const engine = {
      ...stub.engine,
      decide: async (...args: Parameters<typeof stub.engine.decide>) => {
        const response = await stub.engine.decide(...args)
        controller.abort()
        return response
      },
    }
    const late = createServer({ engine: engine as typeof stub.engine })
    expect((await late.fetch(post(BODY, { signal: controller.signal }))).status).toBe(499)
    expect(await late.usage('anyone')).toEqual([])
    expect(await server.usage('anyone')).toEqual([])
  })
})

describe('usage', () => {
  const tokens = JSON.stringify(BODY.state).length

  it('is charged once for each answer, and never for an error', async () => {
    const server = serve({ keys: [{ key: 'a', id: 'me' }] })
    const headers = bearer('a')
    await Promise.all(Array.from({ length: 20 }, () => server.fetch(post(BODY, { headers }))))
    await server.fetch(post('{', { headers }))
    stub.failure = new InternalError()
    await server.fetch(post(BODY, { headers }))
    expect(await server.usage('me')).toMatchObject([{ endpoint: 'decisions', requests: 20, units: 20 * tokens }])
  })

  it('up to the allowance, then 402 without a word about retrying', async () => {
    const server = serve({ keys: [{ key: 'a', id: 'me', freeTokens: 2 * tokens + 1 }] })
    const send = () => server.fetch(post(BODY, { headers: bearer('a') }))
    const together = await Promise.all([send(), send(), send(), send()])
    expect(together.map(({ status }) => status).sort()).toEqual([200, 200, 402, 402])
    const refused = await send()
    expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('x-should-retry')]).toEqual([
      402,
      null,
      'false',
    ])
    expect(await json(refused)).toMatchObject({ error_type: 'insufficient_quota' })
    expect(stub.counts.decided).toBe(2)
    expect(await server.usage('me')).toMatchObject([{ requests: 2, freeUnits: 2 * tokens, cost: '0' }])
  })

  it('is paid with prepaid money after that, to the last token', async () => {
    const prices = { decisions: { amount: '1', per: tokens } } as const
    const server = serve({
      prices: { decisions: { ...prices.decisions, amount: `${tokens}` } },
      keys: [{ key: 'a', id: 'me', prepaid: String(tokens), freeTokens: 0 }],
    })
    const send = () => server.fetch(post(BODY, { headers: bearer('a') }))
    expect([(await send()).status, (await send()).status]).toEqual([200, 402])
    expect(await server.usage('me')).toMatchObject([{ requests: 1, cost: String(tokens) }])
  })
})

describe('close', () => {
  it('waits for what is being answered, and refuses the rest with 529', async () => {
    const server = serve()
    const open = hold()
    const running = server.fetch(post(BODY))
    await vi.waitUntil(() => stub.counts.running === 1, { timeout: 120_000 })
    let closed = false
    const closing = server.close().finally(() => {
      closed = true
    })
    const late = await server.fetch(post(BODY))
    expect([late.status, await json(late)]).toEqual([529, expect.objectContaining({ error_type: 'overloaded' })])
    expect((await server.fetch(get('/healthz'))).status).toBe(529)
    await sleep(10)
    expect(closed).toBe(false)
    open()
    expect((await running).status).toBe(200)
    await closing
    await server.close()
  })
})
