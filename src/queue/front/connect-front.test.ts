import { expect, it, vi } from 'vitest'
import { hasRedis, startRedis } from '../../../test/helpers/redis-server.ts'
import { connectRedis } from '../../redis/connect-redis.ts'
import { connectFront } from './connect-front.ts'

it.skipIf(!hasRedis())(
  'a queue that is refused keeps nothing of its tries',
  async () => {
    const redis = await startRedis()
    const admin = await connectRedis(redis.url)
    await admin.sendCommand(['ACL', 'SETUSER', 'bound', 'on', '>secret', '~*', '&*', '+@all', '-info'])
    const front = await connectFront(redis.url.replace('//', '//bound:secret@'))
    const now = performance.now.bind(performance)
    let tries = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + tries * 60_000)
    const listeners: number[] = []
    for (; tries < 5; tries++) {
      await expect(front.queue('decide-decide-latest').waitUntilReady()).rejects.toThrow('NOPERM')
      listeners.push(front.client.listenerCount('ready'))
    }
    clock.mockRestore()
    expect(new Set(listeners).size).toBe(1)
    admin.destroy()
    await front.close()
    await redis.stop()
  },
  30_000,
)
