import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../../test/helpers/redis-server.ts'
import { InvalidRequestError } from '../../errors/index.ts'
import { connectRedis, type RedisClient } from '../../redis/connect-redis.ts'
import { runWorker } from '../index.ts'
import { createFakeEngine } from '../test-support/fake-engine.ts'

it('a worker names a promise of an engine that was not awaited', async () => {
  const engine = Promise.resolve(createFakeEngine().engine)
  const options = { connection: 'redis://127.0.0.1:1', plaintext: true }
  await expect(runWorker(engine as never, options)).rejects.toThrow('got a promise: await it first')
})

describe.skipIf(!hasRedis())('a worker that cannot start', () => {
  let redis: TestRedis
  let admin: RedisClient
  beforeEach(async () => {
    redis = await startRedis()
    admin = await connectRedis(redis.url)
  })
  afterEach(async () => {
    admin.destroy()
    await redis.stop()
  })

  const start = (url: string) =>
    runWorker(createFakeEngine().engine, { connection: url, plaintext: true }).catch((error: unknown) => error)

  /** Connections beside the one that asks. */
  const others = async () => (await admin.sendCommand<string>(['CLIENT', 'LIST'])).trim().split('\n').length - 1

  it('says that the server is full, takes no calls and leaves nothing open', async () => {
    await admin.sendCommand(['CONFIG', 'SET', 'maxmemory', '1000'])
    const error = await start(redis.url)
    expect(InvalidRequestError.isInstance(error)).toBe(true)
    expect(error).toMatchObject({ message: expect.stringMatching(/^connection: the Redis server .*\(OOM command/) })
    await admin.sendCommand(['CONFIG', 'SET', 'maxmemory', '0'])
    await expect.poll(others).toBe(0)
    expect(await admin.keys('*')).toEqual([])
  })

  it('says that it may not ask for what opens a queue, and leaves nothing open', async () => {
    const rights = ['~tessera*', '&*', '+@all', '-info']
    await admin.sendCommand(['ACL', 'SETUSER', 'app', 'on', '>secret', ...rights])
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue()
    const error = await start(redis.url.replace('//', '//app:secret@'))
    expect(error).toMatchObject({ message: expect.stringMatching(/^connection: the Redis server .*\(NOPERM /) })
    expect(InvalidRequestError.isInstance(error)).toBe(true)
    await expect.poll(others).toBe(0)
    // Not that it waits until it may: it has ended.
    expect(warn.mock.calls).toEqual([])
    warn.mockRestore()
    expect(await admin.sMembers('tessera-queue:workers')).toEqual([])
  })

  it('says that it may not hear topics, and leaves nothing open', async () => {
    const rights = ['~tessera*', '+@all', 'resetchannels']
    await admin.sendCommand(['ACL', 'SETUSER', 'app', 'on', '>secret', ...rights])
    const error = await start(redis.url.replace('//', '//app:secret@'))
    expect(error).toMatchObject({ message: expect.stringMatching(/^connection: the Redis server .*\(NOPERM /) })
    expect(InvalidRequestError.isInstance(error)).toBe(true)
    await expect.poll(others).toBe(0)
  })

  it('and one that the server lets take no calls, or no more of them, tells of it, once', async () => {
    const warnings: Error[] = []
    const warn = (warning: Error) => void warnings.push(warning)
    process.on('warning', warn)
    const connection = redis.url.replace('//', '//app:secret@')
    await admin.sendCommand(['ACL', 'SETUSER', 'app', 'on', '>secret', '~tessera*', '&*', '+@all', '-@scripting'])
    expect(await start(connection)).toMatchObject({ message: expect.stringContaining('(NOPERM ') })
    await admin.sendCommand(['ACL', 'SETUSER', 'app', '+@scripting'])
    const worker = await runWorker(createFakeEngine().engine, { connection, plaintext: true })
    await admin.sendCommand(['ACL', 'SETUSER', 'app', '-@scripting'])
    await expect.poll(() => warnings.length).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 1000))
    process.off('warning', warn)
    await worker.close(0)
    expect(warnings.map(String)).toEqual([
      expect.stringMatching(
        /^TesseraRedisWarning: the Redis server refuses what a worker asks of it \(NOPERM .*\); no calls/,
      ),
    ])
  }, 90_000)
})
