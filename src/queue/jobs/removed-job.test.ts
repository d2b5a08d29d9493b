import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { hasRedis, startRedis } from '../../../test/helpers/redis-server.ts'
import { openJobStore } from '../index.ts'
import { RUNNING_JOB } from '../test-support/running-job.ts'

it.skipIf(!hasRedis()).each([
  ['a moment', 0],
  // As long as the client waits for a server.
  ['longer', 7000],
])(
  'a job that could not be removed as the server was away, for %s, takes no later one of its id with it',
  async (_, milliseconds) => {
    const redis = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always'])
    const open = () => openJobStore({ connection: redis.url, plaintext: true })
    const one = await open()
    await one.add(RUNNING_JOB)
    await one.write({ ...RUNNING_JOB, status: 'failed', endedAt: 2 })
    await redis.kill()
    await expect(one.remove(RUNNING_JOB.id)).rejects.toMatchObject({ code: 'store_unavailable' })
    await sleep(milliseconds)
    await redis.restart()
    const two = await open()
    const late = { ...RUNNING_JOB, createdAt: 3 }
    expect(await two.add(late)).toBeUndefined()
    // Until the first is there again, and has asked for all that it still had.
    await vi.waitFor(() => one.read('job_2'), { timeout: 15_000 })
    expect(await two.read(RUNNING_JOB.id)).toEqual(late)
    await Promise.all([one.close(), two.close()])
    await redis.stop()
  },
  60_000,
)
