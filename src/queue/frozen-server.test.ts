import { expect, it } from 'vitest'
import { hasRedis, startRedis } from '../../test/helpers/redis-server.ts'
import { createQueueEngine, openJobStore, runWorker } from './index.ts'
import { createFakeEngine } from './test-support/fake-engine.ts'

it.skipIf(!hasRedis() || process.platform === 'win32')(
  'a server that is frozen holds up no request and no end of a process',
  async () => {
    const redis = await startRedis()
    const options = { connection: redis.url, plaintext: true }
    const store = await openJobStore(options)
    const engine = createQueueEngine(options)
    const worker = await runWorker(createFakeEngine().engine, options)
    const job = { account: 'a', path: '/v1/systemone', status: 'queued', createdAt: 1, keepMs: 0, bytes: 0 } as const
    expect(await engine.models()).not.toEqual([])
    await store.add({ ...job, id: 'job_1' })
    redis.freeze()
    const began = performance.now()
    const fails = (work: Promise<unknown>) => work.then(String, (error: { readonly code?: string }) => error.code)
    const { release, keepPart, cancel } = store.shared!
    const shared = [release('x'), keepPart('job_1', 'a line'), cancel('x')]
    const asked = [store.read('x'), store.add({ ...job, id: 'job_2' }), ...shared, engine.models()]
    expect(await Promise.all(asked.map(fails))).toEqual([...Array(5).fill('store_unavailable'), 'overloaded'])
    await Promise.all([worker.close(0), engine.dispose()])
    expect(performance.now() - began).toBeLessThan(20_000)
    redis.thaw()
    // Its client was told that there is no such job.
    await expect.poll(async () => (await store.list('a')).map(({ id }) => id)).toEqual(['job_1'])
    await store.close()
    await redis.stop()
  },
  30_000,
)
