import { afterEach, beforeEach, expect, it } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../test/helpers/redis-server.ts'
import { createQueueEngine, type QueueEngine, type RunningWorker, runWorker } from './index.ts'
import { createFakeEngine, type FakeEngine } from './test-support/fake-engine.ts'
import { keys } from './test-support/queue-keys.ts'
import { readAll } from './test-support/read-all.ts'

const PICTURE = Buffer.from('CANARY in the edges')
const TEXT = PICTURE.toString('base64')

let redis: TestRedis
let fake: FakeEngine
let worker: RunningWorker
let engine: QueueEngine
beforeEach(async () => {
  if (!hasRedis()) return
  redis = await startRedis()
  fake = createFakeEngine()
  worker = await runWorker(fake.engine, { connection: redis.url, keys })
  engine = createQueueEngine({ connection: redis.url, keys })
})
afterEach(async () => {
  if (!hasRedis()) return
  await engine.dispose()
  await worker.close(0)
  await redis.stop()
})

it.skipIf(!hasRedis())('pictures of a call go through a queue as base64, once and sealed', async () => {
  fake.hold()
  const drawn = engine.generateImage({ prompt: 'x', size: '64x64' }, { control: { image: PICTURE, scale: 0.5 } })
  await expect.poll(() => fake.running).toBe(1)
  const during = await readAll(redis.url)
  for (const text of ['CANARY', TEXT.slice(0, 7)]) expect(during).not.toContain(text)
  fake.release()
  await drawn
  await engine.editImage({ prompt: 'x', images: [PICTURE, TEXT], mask: PICTURE }, { control: { image: PICTURE } })
  expect(fake.calls.map(({ request, options }) => [request, options])).toMatchObject([
    [{ prompt: 'x' }, { control: { image: TEXT, scale: 0.5 } }],
    [{ images: [TEXT, TEXT], mask: TEXT }, { control: { image: TEXT, scale: 0.75 } }],
  ])
  for (const { request } of fake.calls) expect(request).not.toHaveProperty('control')
})

it.skipIf(!hasRedis())('a control or signal that is wrong is refused before it is sent', async () => {
  const edited = engine.editImage({ prompt: 'x', image: 'aGk=' }, { control: { image: 'aGk=', scale: 3 } })
  await expect(edited).rejects.toMatchObject({ code: 'invalid_request', path: 'control.scale' })
  const aborted = engine.editImage({ prompt: 'x', image: 'aGk=' }, { signal: new Date() as never })
  await expect(aborted).rejects.toMatchObject({ code: 'invalid_request', path: 'signal' })
  expect(fake.calls).toEqual([])
})
