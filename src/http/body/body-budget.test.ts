import { describe, expect, it, vi } from 'vitest'
import { createServer } from '../server.ts'
import { BODY, json, post } from '../test-support/requests.ts'
import { createStubEngine } from '../test-support/stub-engine.ts'

const SETTINGS = { maxBodyBytes: 1000, maxEditBodyBytes: 1000, maxBufferedBytes: 6000 }
const padded = (length: number) => JSON.stringify(BODY).padEnd(length)

/** A request that says how long its body is, and counts how often that is read. */
function announced(length: number, key?: string) {
  const text = padded(length)
  const state = { pulled: 0 }
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        state.pulled++
        controller.enqueue(new TextEncoder().encode(text))
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  const own = key !== undefined && { authorization: `Bearer ${key}` }
  const headers = { 'content-type': 'application/json', 'content-length': String(length), ...own }
  const init = { method: 'POST', headers, body, duplex: 'half' }
  return { request: new Request('http://localhost/v1/systemone', init as RequestInit), state }
}

describe('bodies over all requests', () => {
  it('wait unread where others fill the memory, in their order, and are refused with 529 after 10 seconds', async () => {
    const stub = createStubEngine()
    const go = stub.hold()
    const { fetch } = createServer({ engine: stub.engine, ...SETTINGS })
    const running = [fetch(announced(1000).request), fetch(announced(600).request)]
    await vi.waitUntil(() => stub.counts.running === 2, { timeout: 60_000 })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const third = announced(500)
    const refusing = fetch(third.request)
    const fourth = announced(400)
    const waiting = fetch(fourth.request)
    await vi.advanceTimersByTimeAsync(9000)
    expect([third.state.pulled, fourth.state.pulled]).toEqual([0, 0])
    await vi.advanceTimersByTimeAsync(1000)
    vi.useRealTimers()
    const refused = await refusing
    expect([refused.status, refused.headers.get('retry-after'), third.state.pulled]).toEqual([529, '1', 0])
    expect(await json(refused)).toMatchObject({ error_type: 'overloaded', message: /fill the memory for bodies/ })
    const last = fetch(announced(1000).request)
    go()
    const answered = await Promise.all([...running, waiting, last])
    expect(answered.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  })

  it('that do not say how long they are get 529 at once where others fill the memory', async () => {
    const stub = createStubEngine()
    const go = stub.hold()
    const { fetch } = createServer({ engine: stub.engine, ...SETTINGS })
    const running = [fetch(announced(1000).request), fetch(announced(600).request)]
    await vi.waitUntil(() => stub.counts.running === 2, { timeout: 60_000 })
    // Nothing lets time pass for whoever would wait.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const refused = await fetch(post(padded(900)))
    vi.useRealTimers()
    expect(refused.status).toBe(529)
    go()
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200])
  })

  it('leave the queue when their client hangs up', async () => {
    const stub = createStubEngine()
    const go = stub.hold()
    const { fetch } = createServer({ engine: stub.engine, ...SETTINGS })
    const running = [fetch(announced(1000).request), fetch(announced(700).request)]
    await vi.waitUntil(() => stub.counts.running === 2, { timeout: 60_000 })
    const hangUp = new AbortController()
    const gone = fetch(new Request(announced(500).request, { signal: hangUp.signal }))
    await new Promise((resolve) => setTimeout(resolve, 20))
    const next = fetch(announced(300).request)
    hangUp.abort()
    expect((await gone).status).toBe(499)
    await vi.waitUntil(() => stub.counts.running === 3, { timeout: 60_000 })
    go()
    expect((await Promise.all([...running, next])).map(({ status }) => status)).toEqual([200, 200, 200])
  })

  it('are counted also where they do not say how long they are, or are refused', async () => {
    const { fetch } = createServer({ engine: createStubEngine().engine, ...SETTINGS })
    for (let round = 0; round < 5; round++) {
      const [plain, broken] = await Promise.all([fetch(post(padded(900))), fetch(post('x'.repeat(900)))])
      expect([plain.status, broken.status]).toEqual([200, 422])
    }
  })

  it('of one account leave a quarter to others, who do not wait behind them', async () => {
    const stub = createStubEngine()
    const go = stub.hold()
    const { fetch } = createServer({ engine: stub.engine, keys: ['a', 'b'], ...SETTINGS })
    const running = [fetch(announced(1000, 'a').request)]
    const waits = announced(600, 'a')
    running.push(fetch(waits.request))
    await vi.waitUntil(() => stub.counts.running === 1, { timeout: 60_000 })
    running.push(fetch(announced(900, 'b').request))
    await vi.waitUntil(() => stub.counts.running === 2, { timeout: 60_000 })
    expect(waits.state.pulled).toBe(0)
    go()
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200, 200])
  })

  it('that are small do not wait behind large ones, whose requests may take minutes', async () => {
    const stub = createStubEngine()
    const go = stub.hold()
    const settings = { maxBodyBytes: 500_000, maxEditBodyBytes: 500_000, maxBufferedBytes: 1_500_000 }
    const { fetch } = createServer({ engine: stub.engine, ...settings })
    const large = [fetch(announced(400_000).request)]
    await vi.waitUntil(() => stub.counts.running === 1, { timeout: 60_000 })
    const waits = announced(300_000)
    large.push(fetch(waits.request))
    const small = [fetch(announced(1000).request), fetch(post(padded(1000)))]
    await vi.waitUntil(() => stub.counts.running === 3, { timeout: 60_000 })
    expect(waits.state.pulled).toBe(0)
    go()
    expect((await Promise.all([...large, ...small])).map(({ status }) => status)).toEqual([200, 200, 200, 200])
  })

  it('must fit at least one by one', () => {
    expect(() => createServer({ engine: createStubEngine().engine, ...SETTINGS, maxBufferedBytes: 2999 })).toThrow(
      'maxBufferedBytes: must be at least 3000, as the largest body takes so many',
    )
  })
})
