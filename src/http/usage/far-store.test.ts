import { expect, it, vi } from 'vitest'
import { createServer } from '../server.ts'
import { bearer, IMAGE_BODIES, post } from '../test-support/requests.ts'
import { createStubEngine } from '../test-support/stub-engine.ts'
import { createMemoryStore } from './memory-store.ts'
import type { UsageStore } from './usage-store.ts'

/** A store at the other end of a slow network. */
function makeFar(store: UsageStore): UsageStore {
  const update: UsageStore['update'] = async (...change) => {
    await new Promise((resolve) => setTimeout(resolve, 20))
    return store.update(...change)
  }
  return { ...store, update }
}

it('a client that gives up is told so when its Idempotency-Key is free, however far the store is', async () => {
  const stub = createStubEngine()
  const go = stub.hold()
  const store = makeFar(createMemoryStore())
  const server = createServer({ engine: stub.engine, keys: [{ key: 'k', prepaid: '1' }], store })
  const [path, body] = IMAGE_BODIES[1]
  const headers = { ...bearer('k'), 'idempotency-key': '1' }
  const controller = new AbortController()
  const answer = server.fetch(post(body, { path, headers, signal: controller.signal }))
  await vi.waitUntil(() => stub.counts.running === 1, { timeout: 60_000 })
  controller.abort()
  expect((await answer).status).toBe(499)
  go()
  expect((await server.fetch(post({ ...body, prompt: 'Another' }, { path, headers }))).status).toBe(200)
  await server.close()
})
