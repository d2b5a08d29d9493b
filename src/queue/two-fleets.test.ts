import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../test/helpers/redis-server.ts'
import { BODY } from '../http/test-support/requests.ts'
import { createQueueEngine, openJobStore, runWorker } from './index.ts'
import { createFakeEngine } from './test-support/fake-engine.ts'

describe.skipIf(!hasRedis())('fleets with a database each of one server', () => {
  let redis: TestRedis
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.stop())

  it('answer their own calls alone', async () => {
    const options = ['/1', '/2'].map((path) => ({ connection: `${redis.url}${path}`, plaintext: true }))
    const fakes = options.map(() => createFakeEngine())
    const workers = await Promise.all(options.map((each, index) => runWorker(fakes[index]!.engine, each)))
    const engine = createQueueEngine(options[0]!)
    for (let time = 0; time < 3; time++) expect(await engine.decide(BODY)).toMatchObject({ model: 'fake' })
    expect(fakes.map(({ calls }) => calls.length)).toEqual([3, 0])
    await Promise.all([engine.dispose(), ...workers.map((worker) => worker.close(0))])
  })

  it('cancel their own jobs alone', async () => {
    const stores = await Promise.all(
      ['', '/1', '/1', '/2'].map((path) => openJobStore({ connection: `${redis.url}${path}`, plaintext: true })),
    )
    try {
      const heard: string[] = []
      for (const [index, { shared }] of stores.entries()) shared!.onCancel((id) => heard.push(`${index} ${id}`))
      await stores[1]!.shared!.cancel('job_1')
      await expect.poll(() => heard.length, { timeout: 5000 }).toBe(2)
      await stores[0]!.shared!.cancel('job_0')
      await expect.poll(() => heard.length, { timeout: 5000 }).toBe(3)
      // For those that are not to come.
      await sleep(200)
      expect(heard.toSorted()).toEqual(['0 job_0', '1 job_1', '2 job_1'])
    } finally {
      for (const store of stores) await store.close()
    }
  })
})
