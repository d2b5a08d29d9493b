import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../test/helpers/redis-server.ts'
import { createEngine } from '../engine/index.ts'
import { makeHeadedCalibration, TEAM, URGENT } from '../engine/test-support/headed-calibration.ts'
import { calibrate } from '../evaluate/calibrate.ts'
import { createQueueEngine, runWorker } from './index.ts'
import { keys } from './test-support/queue-keys.ts'

describe.skipIf(!hasRedis())('heads of questions over a queue', () => {
  let redis: TestRedis
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.stop())

  it('are added by the worker, and nothing that they read is sent', async () => {
    await using plain = await createEngine({ worker: false })
    await using headed = await createEngine({ worker: false, calibration: await makeHeadedCalibration(plain) })
    const worker = await runWorker(headed, { connection: redis.url, keys })
    await using front = createQueueEngine({ connection: redis.url, keys })
    const request = { state: 'The shop is down. Please call at once.', questions: { urgent: URGENT, team: TEAM } }
    const response = await front.decide(request)
    const alone = await headed.decide(request)
    expect(response.answers).toEqual(alone.answers)
    expect(response.answers).not.toEqual((await plain.decide(request)).answers)
    expect(Object.keys(response).toSorted()).toEqual(Object.keys(alone).toSorted())
    await worker.close()
  })

  it('are refused to be fitted to, since workers answer with the calibration that they have', async () => {
    await using plain = await createEngine({ worker: false })
    await using headed = await createEngine({ worker: false, calibration: await makeHeadedCalibration(plain) })
    const worker = await runWorker(headed, { connection: redis.url, keys })
    await using front = createQueueEngine({ connection: redis.url, keys })
    await expect.poll(() => front.models()).toContainEqual(expect.objectContaining({ name: 'decide-latest' }))
    const asked = vi.spyOn(front, 'decide')
    const row = { state: 'The shop is down.', questions: { urgent: URGENT }, labels: { urgent: true } }
    await expect(calibrate(front, [row])).rejects.toThrow(
      /^engine: must list its models with .*workers of a queue answer.* Calibrate with an engine of this process, by createEngine/,
    )
    expect(asked).not.toHaveBeenCalled()
    await worker.close()
  })
})
