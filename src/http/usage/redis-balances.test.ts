import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, cp, readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../../test/helpers/redis-server.ts'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { canTrace } from '../../../test/helpers/trace-program.ts'
import { createServer, type KeyConfig } from '../index.ts'
import { bearer, BODY, post } from '../test-support/requests.ts'
import { createStubEngine } from '../test-support/stub-engine.ts'
import { Ledger } from './ledger.ts'
import { DEFAULT_PRICES } from './prices.ts'
import { openRedisStore } from './redis-store.ts'
import type { UsageStore } from './usage-store.ts'

const run = promisify(execFile)
const PAYER = { id: 'shop', prepaid: '1000000' }
const DURABLE = ['--appendonly', 'yes']

let folder: string
const servers: TestRedis[] = []
const stores: UsageStore[] = []
beforeEach(() => void (folder = temporaryFolder()))
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close()
  for (const redis of servers.splice(0)) await redis.stop()
})

async function start(settings: readonly string[] = DURABLE, files?: string): Promise<TestRedis> {
  const redis = await startRedis(settings, files)
  servers.push(redis)
  return redis
}

async function open({ url }: TestRedis): Promise<Ledger> {
  const store = await openRedisStore(url, { acceptLoss: true })
  stores.push(store)
  return new Ledger(store, DEFAULT_PRICES)
}

const cli = async ({ port }: TestRedis, ...args: string[]) =>
  (await run('redis-cli', ['-p', String(port), ...args])).stdout.trim()

/** Resolves once all changes are in the file: while the disk is slow to take those before, Redis keeps them for up to two seconds. */
async function written(redis: TestRedis): Promise<void> {
  await expect.poll(() => cli(redis, 'info', 'persistence'), { timeout: 10_000 }).toMatch(/aof_buffer_length:0\b/)
}

async function draw(ledger: Ledger, pictures: number): Promise<void> {
  for (let picture = 0; picture < pictures; picture++)
    await (await ledger.reserve(PAYER, { endpoint: 'edits', foresee: () => 1 })).settle(1)
}

/** Pictures that were charged. */
async function charged(redis: TestRedis): Promise<number> {
  const rows = await (await open(redis)).usage(PAYER.id)
  return rows.reduce((sum, { units }) => sum + units, 0)
}

describe.skipIf(!hasRedis())('balances on a Redis server', () => {
  it('outlast a crash of it with appendonly, and without are what they were at the last snapshot', async () => {
    const counts = []
    for (const appendonly of ['yes', 'no']) {
      const redis = await start(['--appendonly', appendonly])
      const ledger = await open(redis)
      await draw(ledger, 2)
      await cli(redis, 'save')
      await draw(ledger, 3)
      if (appendonly === 'yes') await written(redis)
      await redis.restart()
      counts.push(await charged(redis))
    }
    expect(counts).toEqual([5, 2])
  })

  it('are dropped by a full memory, except with noeviction, where requests get 503', async () => {
    const outcomes = []
    for (const [policy, room] of [
      ['allkeys-lru', 100_000],
      // Below what is used: connections that end give memory back.
      ['noeviction', -200_000],
    ] as const) {
      const redis = await start([...DURABLE, '--maxmemory-policy', policy])
      await draw(await open(redis), 2)
      const used = Number(/used_memory:(\d+)/.exec(await cli(redis, 'info', 'memory'))![1])
      await cli(redis, 'config', 'set', 'maxmemory', String(used + room))
      // Another program that uses the same server.
      for (let time = 0; time < 50; time++) await cli(redis, 'set', `other:${time}`, 'x'.repeat(10_000))
      const store = await openRedisStore(redis.url, { acceptLoss: true })
      stores.push(store)
      const server = createServer({ engine: createStubEngine().engine, keys: [{ key: 'k', ...PAYER }], store })
      const { status } = await server.fetch(post(BODY, { headers: bearer('k') }))
      const [row] = await new Ledger(store, DEFAULT_PRICES).usage(PAYER.id).then((rows) => rows.filter(isEdit))
      outcomes.push({ status, units: row?.units })
    }
    expect(outcomes).toEqual([
      { status: 200, units: undefined },
      { status: 503, units: 2 },
    ])
  })

  it('are on the disk before the answer with appendfsync always, and within a second by default', async ({ skip }) => {
    skip(!canTrace, 'strace is not installed, or may not trace here')
    const redis = await start()
    expect(await cli(redis, 'config', 'get', 'appendfsync')).toBe('appendfsync\neverysec')
    const ledger = await open(redis)
    const syncsOf = async () => {
      const file = join(folder, 'trace')
      const args = ['-f', '-qq', '-e', 'trace=fsync,fdatasync', '-o', file, '-p', String(redis.pid)]
      const strace = spawn('strace', args, { stdio: ['ignore', 'ignore', 'inherit'] })
      await expect.poll(() => readFile(`/proc/${redis.pid}/status`, 'utf8')).toMatch(/TracerPid:\t[1-9]/)
      await draw(ledger, 20)
      strace.kill('SIGINT')
      await once(strace, 'exit')
      return (await readFile(file, 'utf8')).split('\n').filter((line) => /sync\(/.test(line)).length
    }
    // Each picture is two changes: one that sets its price aside, one that charges it.
    expect(await syncsOf()).toBeLessThan(20)
    await cli(redis, 'config', 'set', 'appendfsync', 'always')
    expect(await syncsOf()).toBeGreaterThanOrEqual(40)
  })

  it('are those of the whole seconds before, where a power failure cut the file', async () => {
    const redis = await start()
    await draw(await open(redis), 3)
    await written(redis)
    await redis.kill()
    const file = join(redis.folder, 'appendonlydir', 'appendonly.aof.1.incr.aof')
    await truncate(file, (await readFile(file)).length - 10)
    await redis.restart()
    expect(await charged(redis)).toBe(2)
  })

  it('and all else that is kept lie in keys that begin with tessera:', async () => {
    const redis = await start()
    const store = await openRedisStore(redis.url)
    stores.push(store)
    const keys: KeyConfig[] = [
      { key: 'k', id: 'shop', prepaid: '1', requestsPerMinute: 100, tokensPerMinute: 10_000 },
      { key: 'root', scopes: ['admin'] },
    ]
    const server = createServer({ engine: createStubEngine().engine, keys, store })
    const headers = { ...bearer('k'), 'idempotency-key': 'once' }
    await server.fetch(post(BODY, { headers }))
    await server.fetch(post({ account: 'new' }, { path: '/v1/admin/keys', headers: bearer('root') }))
    await server.close()
    const names = (await cli(redis, 'keys', '*')).split('\n').map((name) => name.split(':').slice(0, 2).join(':'))
    expect([...new Set(names)].sort()).toEqual(
      ['account', 'audit', 'keys', 'request', 'requests', 'tokens'].map((name) => `tessera:${name}`).sort(),
    )
  })
})

const isEdit = ({ endpoint }: { endpoint: string }) => endpoint === 'edits'

describe.skipIf(!hasRedis())('a backup of a Redis server', () => {
  it('is made by redis-cli --rdb while the service charges, and restored without appendonly, which is set then', async () => {
    const redis = await start()
    const ledger = await open(redis)
    await draw(ledger, 2)
    const stopped = new AbortController()
    const load = (async () => {
      while (!stopped.signal.aborted) await draw(ledger, 1)
    })()
    await cli(redis, '--rdb', join(folder, 'dump.rdb'))
    stopped.abort()
    await load
    const after = await charged(redis)
    // Else what is written while a disk is slow may be lost when the server is killed.
    const restored = await start(['--appendonly', 'no', '--appendfsync', 'always'], folder)
    const before = await charged(restored)
    expect(before).toBeGreaterThanOrEqual(2)
    expect(before).toBeLessThanOrEqual(after)
    await cli(restored, 'config', 'set', 'appendonly', 'yes')
    await expect
      .poll(() => cli(restored, 'info', 'persistence'), { timeout: 10_000 })
      .toMatch(/aof_rewrite_in_progress:0\r\naof_rewrite_scheduled:0\r/)
    await draw(await open(restored), 1)
    await restored.restart(DURABLE)
    expect(await charged(restored)).toBe(before + 1)
  })

  it('made by bgsave is not read by a server with appendonly, which begins empty', async () => {
    const redis = await start()
    await draw(await open(redis), 2)
    await cli(redis, 'bgsave')
    await expect.poll(() => cli(redis, 'info', 'persistence')).toMatch(/rdb_bgsave_in_progress:0\r/)
    await copyFile(join(redis.folder, 'dump.rdb'), join(folder, 'dump.rdb'))
    expect(await charged(await start(DURABLE, folder))).toBe(0)
    expect(await charged(await start(['--appendonly', 'no'], folder))).toBe(2)
  })

  it('may be its appendonlydir, copied while nothing runs', async () => {
    const redis = await start()
    await draw(await open(redis), 2)
    await cli(redis, 'shutdown')
    await cp(join(redis.folder, 'appendonlydir'), join(folder, 'appendonlydir'), { recursive: true })
    expect(await charged(await start(DURABLE, folder))).toBe(2)
  })
})
