import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../test/helpers/redis-server.ts'
import { BODY } from '../http/test-support/requests.ts'
import { createQueueEngine, type QueueEngine } from './index.ts'
import { type Program, Programs } from './test-support/programs.ts'
import { keys } from './test-support/queue-keys.ts'

const LEASE_MS = '1500'

describe.skipIf(!hasRedis() || process.platform === 'win32')('a worker that is killed', () => {
  let redis: TestRedis
  let script: Awaited<ReturnType<typeof Programs.of>>
  let engine: QueueEngine
  const programs = new Programs()
  beforeAll(async () => {
    script = await Programs.of('worker-script')
  })
  // One of its own for each, as a call whose worker is killed right after its answer is in the queue still.
  beforeEach(async () => {
    redis = await startRedis()
    engine = createQueueEngine({ connection: redis.url, keys })
  })
  afterEach(async () => {
    programs.killAll()
    await engine.dispose()
    await redis.stop()
  })

  const start = (...mode: string[]) => programs.start(script(redis.url, keys, LEASE_MS, ...mode), 'ready')

  async function untilCalled({ printed }: Program): Promise<void> {
    await expect.poll(printed, { timeout: 20_000 }).toContain('call')
  }

  it('leaves its call to another one, which answers it once', async () => {
    const first = await start('hold')
    const call = engine.decide(BODY)
    await untilCalled(first)
    first.child.kill('SIGKILL')
    const second = await start()
    expect(await call).toMatchObject({ model: 'fake' })
    expect(second.printed().match(/call/g)).toHaveLength(1)
  }, 60_000)

  it('and then another one, ends the call with an error, and later calls are answered', async () => {
    const call = engine.decide(BODY).catch((error: unknown) => error)
    for (const _ of [1, 2]) {
      const worker = await start('hold')
      await untilCalled(worker)
      worker.child.kill('SIGKILL')
    }
    const third = await start()
    expect(await call).toMatchObject({ code: 'worker_crashed', retryable: true })
    expect(third.printed()).not.toContain('call')
    expect(await engine.decide(BODY)).toMatchObject({ model: 'fake' })
  }, 60_000)
})
