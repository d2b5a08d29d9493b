import { expect, it, vi } from 'vitest'
import { createServer } from '../server.ts'
import { bearer, BODY, post } from '../test-support/requests.ts'
import { createStubEngine } from '../test-support/stub-engine.ts'
import { createMemoryStore } from './memory-store.ts'
import { RunningWork } from './running-work.ts'

it('what does not linger has its answer where it is charged already', async () => {
  const controller = new AbortController()
  let settle = () => {}
  const settled = new Promise<void>((resolve) => (settle = resolve))
  const begun = vi.fn<() => void>()
  const asked = { account: 'a', retryCount: 0, isShared: false, mayLinger: false, text: () => '' }
  const answer = new RunningWork().run(asked, controller.signal, async (_ended, { attended }) => {
    await attended()
    begun()
    await settled
    return 'answer'
  })
  await vi.waitUntil(() => begun.mock.calls.length === 1, { timeout: 60_000 })
  controller.abort()
  settle()
  expect(await answer).toBe('answer')
})

it('an answer whose client gives up while it is charged is logged with what was charged, and kept for its next try', async () => {
  const stub = createStubEngine()
  let go = () => {}
  stub.gate = new Promise<void>((resolve) => (go = resolve))
  const store = createMemoryStore()
  const logged: (number | undefined)[] = []
  const server = createServer({
    engine: stub.engine,
    keys: [{ key: 'k', id: 'a', prepaid: '1' }],
    store,
    log: ({ units }) => logged.push(units),
  })
  const controller = new AbortController()
  const answer = server.fetch(post(BODY, { headers: bearer('k'), signal: controller.signal }))
  await vi.waitUntil(() => stub.counts.running === 1, { timeout: 60_000 })
  let settle = () => {}
  const settled = new Promise<void>((resolve) => (settle = resolve))
  const { update } = store
  const asked = vi.fn<() => void>()
  store.update = async (...change) => {
    asked()
    await settled
    return update(...change)
  }
  go()
  await vi.waitUntil(() => asked.mock.calls.length === 1, { timeout: 60_000 })
  controller.abort()
  settle()
  await answer
  expect((await server.fetch(post(BODY, { headers: bearer('k') }))).status).toBe(200)
  const [row] = await server.usage('a')
  expect([row?.requests, stub.counts.decided]).toEqual([1, 1])
  expect(logged).toEqual([row?.units, undefined])
  await server.close()
})
