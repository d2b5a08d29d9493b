import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { hasRedis, startRedis } from '../../../test/helpers/redis-server.ts'
import type { Job } from '../../http/index.ts'
import { openJobStore } from '../index.ts'
import { openCuttingProxy } from '../test-support/cutting-proxy.ts'
import { RUNNING_JOB } from '../test-support/running-job.ts'

const JOB: Job = { ...RUNNING_JOB, status: 'queued' }

it.skipIf(!hasRedis())(
  'a job is withdrawn where the server added it and its reply was lost, unless another try may have it',
  async () => {
    const redis = await startRedis()
    const proxy = await openCuttingProxy(redis.port)
    const one = await openJobStore({ connection: proxy.url, plaintext: true })
    const two = await openJobStore({ connection: redis.url, plaintext: true })
    const cancelled: string[] = []
    two.shared!.onCancel((id) => cancelled.push(id))
    const ids = async () => (await two.list('me')).map(({ id }) => id)
    try {
      const addWithoutReply = async (job: Job) => {
        proxy.cutAfter(`tessera-queue:job:${job.id}`)
        await expect(one.add(job)).rejects.toMatchObject({ code: 'store_unavailable' })
      }
      await addWithoutReply({ ...JOB, id: 'job_keyed', digest: 'of the request' })
      expect(await ids()).toEqual(['job_keyed'])
      await addWithoutReply(JOB)
      await expect.poll(ids, { timeout: 10_000 }).toEqual(['job_keyed'])
      // Whoever has taken it over meanwhile stops it.
      await expect.poll(() => cancelled, { timeout: 10_000 }).toEqual(['job_1'])
    } finally {
      await Promise.all([one.close(), two.close()])
      proxy.close()
      await redis.stop()
    }
  },
  30_000,
)

it.skipIf(!hasRedis())(
  'a job that is refused while the server is away is withdrawn when it is back, unless another try may have it',
  async () => {
    const redis = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always'])
    const [one, two] = await Promise.all([1, 2].map(() => openJobStore({ connection: redis.url, plaintext: true })))
    const keyed = { ...JOB, id: 'job_keyed', digest: 'of the request' }
    try {
      for (const job of [JOB, keyed]) await one!.add(job)
      await redis.kill()
      for (const job of [JOB, keyed]) {
        await expect(one!.withdraw(job)).rejects.toMatchObject({ code: 'store_unavailable' })
      }
      // Longer than the client keeps two commands that it could not send.
      await sleep(11_000)
      await redis.restart()
      const ids = () => two!.list('me').then((jobs) => jobs.map(({ id }) => id))
      await expect.poll(ids, { timeout: 10_000 }).toEqual(['job_keyed'])
    } finally {
      await Promise.all([one!.close(), two!.close()])
      await redis.stop()
    }
  },
  60_000,
)
