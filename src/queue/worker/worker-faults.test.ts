import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../../test/helpers/redis-server.ts'
import { InsufficientMemoryError, InternalError, InvalidRequestError } from '../../errors/index.ts'
import { createQueueEngine, type QueueEngine, type RunningWorker, runWorker, type WorkerFault } from '../index.ts'
import { createFakeEngine, type FakeEngine } from '../test-support/fake-engine.ts'
import { keys } from '../test-support/queue-keys.ts'

const BODY = { state: 'CANARY', questions: { urgent: { type: 'noul', instructions: 'Is it urgent?' } } } as const

describe.skipIf(!hasRedis())('the faults of a worker', () => {
  let redis: TestRedis
  let fake: FakeEngine
  let engine: QueueEngine
  let worker: RunningWorker
  const faults: WorkerFault[] = []
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterEach(async () => {
    await engine.dispose()
    await worker.close(0)
    faults.splice(0)
  })
  afterAll(() => redis.stop())

  async function start(onFault?: (fault: WorkerFault) => void) {
    fake = createFakeEngine()
    worker = await runWorker(fake.engine, { connection: redis.url, keys, leaseMs: 1500, onFault })
    engine = createQueueEngine({ connection: redis.url, keys })
  }

  const thrown = () => engine.decide(BODY).catch((error: unknown) => error)

  it('are told there with their cause, under the id that the error of the front names', async () => {
    await start((fault) => faults.push(fault))
    const cause = new RangeError('a secret')
    fake.failure = cause
    const error = (await thrown()) as InternalError
    expect(faults).toEqual([{ callId: expect.any(String), kind: 'decide', error: expect.any(InternalError) }])
    const [{ callId, error: told }] = faults as [WorkerFault]
    expect(told.cause).toBe(cause)
    expect(error).toMatchObject({ code: 'internal_error', cause: { message: expect.stringContaining(callId) } })
    expect(JSON.stringify(error.toJSON())).not.toContain('secret')
    fake.failure = new InsufficientMemoryError('it needs 9 GiB', 'Use fewer bits.', { needed: 9, available: 1 })
    expect(await thrown()).toMatchObject({ code: 'insufficient_memory', needed: 9 })
    expect(faults.map((fault) => fault.error.status)).toEqual([500, 507])
  })

  it('are not what a request has wrong', async () => {
    await start((fault) => faults.push(fault))
    fake.failure = new InvalidRequestError('state', 'is too long')
    const error = (await thrown()) as InvalidRequestError
    expect([error.code, error.cause]).toEqual(['invalid_request', undefined])
    expect(faults).toEqual([])
  })

  it('reach their front also where telling them fails', async () => {
    const warned = new Promise((resolve) => process.once('warning', resolve))
    await start(() => {
      throw new Error('disk full')
    })
    fake.failure = new InternalError('boom')
    expect(await thrown()).toMatchObject({ code: 'internal_error', message: 'boom' })
    expect(await warned).toMatchObject({ message: 'disk full' })
  })
  it('go to stderr where the app takes none', async () => {
    await start()
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    fake.failure = new RangeError('a secret')
    await thrown()
    const written = write.mock.calls.join('')
    write.mockRestore()
    expect(written).toMatch(/^500 decide \S+\nInternalError: .*\n[^]*caused by RangeError\n +at /)
    expect(written).not.toMatch(/secret|CANARY/)
  })
})
