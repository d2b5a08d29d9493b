import { type ChildProcess, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, writeSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../../test/helpers/redis-server.ts'
import { openRedisStore } from '../../http/index.ts'
import { BODY } from '../../http/test-support/requests.ts'
import { Ledger } from '../../http/usage/ledger.ts'
import { DEFAULT_PRICES } from '../../http/usage/prices.ts'
import { ended, prepareServe, type ServeProcesses, started } from '../test-support/serve-process.ts'

const KEYS = { TESSERA_API_KEYS: 'a' }
/** As much as one of Linux holds. */
const PIPE_BYTES = 65_536
const LOOPBACK = ['--port', '0', '--grace', '8s']

let processes: ServeProcesses
beforeAll(async () => {
  processes = await prepareServe()
})
afterAll(() => processes.remove())

/** Status of the answer and what it says about trying again; 0 where there was none. */
async function decide(url: string): Promise<{ status: number; units: number; retryAfter: string | null }> {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer a' }
  try {
    const response = await fetch(`${url}/v1/systemone`, { method: 'POST', headers, body: JSON.stringify(BODY) })
    const { usage } = (await response.json()) as { usage?: { input_tokens: number } }
    return { status: response.status, units: usage?.input_tokens ?? 0, retryAfter: response.headers.get('retry-after') }
  } catch {
    return { status: 0, units: 0, retryAfter: null }
  }
}

/** Clients that send one request after another until the service takes no more. */
function startLoad(url: string) {
  const counts: Record<number, number> = {}
  let units = 0
  const clients = Array.from({ length: 8 }, async () => {
    for (;;) {
      const answer = await decide(url)
      counts[answer.status] = (counts[answer.status] ?? 0) + 1
      if (answer.status === 503) expect(answer.retryAfter).toBe('1')
      units += answer.units
      if (answer.status === 0) return
      await sleep(20)
    }
  })
  return { counts, end: () => Promise.all(clients).then(() => ({ counts, units })) }
}

// Windows has no signals, by which a process is told to end.
describe.skipIf(process.platform === 'win32')('a service', () => {
  it('that is ending ends at once when it is told so again', async () => {
    const child = processes.start(['--port', '0', '--grace', '60s'], KEYS)
    const { url } = await started(child)
    const stalled = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {})
    stalled.write('POST /v1/systemone HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\n')
    stalled.write('Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{')
    await expect.poll(async () => (await fetch(`${url}/livez`)).status).toBe(200)
    child.kill('SIGTERM')
    await once(child.stderr!, 'data')
    await sleep(500)
    expect(child.exitCode).toBe(null)
    const end = once(child, 'exit')
    // One that comes within half a second is taken for the first.
    const again = setInterval(() => child.kill('SIGTERM'), 600)
    expect(await end).toEqual([null, 'SIGTERM'])
    clearInterval(again)
  })

  it.skipIf(process.platform !== 'linux')('goes on where its log is on a full disk', async () => {
    const full = openSync('/dev/full', 'w')
    const child = processes.start(['--port', '0'], KEYS, ['ignore', full, 'pipe'])
    const [line] = (await once(child.stderr!, 'data')) as [Buffer]
    const [, url] = /console at (\S+)\/console/.exec(line.toString())!
    for (let time = 0; time < 3; time++) expect((await decide(url!)).status).toBe(200)
    child.kill('SIGTERM')
    expect(await ended(child)).toMatchObject({ code: 0 })
    closeSync(full)
  })

  it.skipIf(process.platform !== 'linux').each(['stdout', 'stderr'] as const)(
    'ends where its %s is a pipe that is full, as nobody reads it any more',
    async (name) => {
      const path = join(processes.home, name)
      execFileSync('mkfifo', [path])
      // Open for both, it has a reader, who reads nothing.
      const pipe = openSync(path, 'r+')
      writeSync(pipe, Buffer.alloc(PIPE_BYTES))
      const child = processes.start(
        ['--port', '0'],
        KEYS,
        name === 'stdout' ? ['ignore', pipe, 'pipe'] : ['ignore', 'pipe', pipe],
      )
      const told = name === 'stdout' ? once(child.stderr!, 'data') : started(child)
      await told
      child.kill('SIGTERM')
      const [code] = (await once(child, 'exit', { signal: AbortSignal.timeout(20_000) })) as [number | null]
      expect(code).toBe(0)
      closeSync(pipe)
    },
  )
})

describe.skipIf(!hasRedis())('a service under load whose Redis server', () => {
  let redis: TestRedis
  let child: ChildProcess
  beforeEach(async () => {
    redis = await startRedis()
  })
  afterEach(async () => {
    child.kill('SIGKILL')
    redis.thaw()
    await redis.stop()
  })

  const start = async (journal: string) => {
    child = processes.start([...LOOPBACK, '--store', redis.url, '--journal', journal], KEYS)
    return started(child)
  }

  async function charged(): Promise<number> {
    const store = await openRedisStore(redis.url)
    const ledger = new Ledger(store, DEFAULT_PRICES)
    const rows = await Promise.all((await ledger.accounts()).map((account) => ledger.usage(account)))
    await store.close()
    return rows.flat().reduce((sum, { units }) => sum + units, 0)
  }

  it.each([
    ['is killed', () => redis.kill(), () => redis.restart()],
    ['is frozen', async () => redis.freeze(), async () => redis.thaw()],
  ])('%s refuses with 503, ends within its grace, and the next process charges the rest', async (how, fail, mend) => {
    const journal = join(processes.home, how)
    const { url } = await start(journal)
    const load = startLoad(url)
    await expect.poll(() => load.counts[200] ?? 0, { timeout: 60_000 }).toBeGreaterThan(20)
    await fail()
    await expect.poll(() => load.counts[503] ?? 0, { timeout: 60_000 }).toBeGreaterThan(5)
    expect((await fetch(`${url}/livez`)).status).toBe(200)
    const readiness = await fetch(`${url}/readyz`)
    expect([readiness.status, await readiness.json()]).toEqual([503, { status: 'unavailable', missing: ['store'] }])
    const began = performance.now()
    child.kill('SIGTERM')
    expect(await ended(child)).toMatchObject({ code: 0 })
    expect(performance.now() - began).toBeLessThan(15_000)
    const { counts, units } = await load.end()
    // One that ends refuses with 529.
    expect(Object.keys(counts).filter((status) => !['0', '200', '503', '529'].includes(status))).toEqual([])
    await mend()
    await start(journal)
    await expect.poll(() => readdir(journal), { timeout: 60_000 }).toEqual([])
    expect(await charged()).toBe(units)
  })

  it('would forget balances is refused, unless the loss is accepted', async () => {
    await redis.restart(['--appendonly', 'no'])
    child = processes.start([...LOOPBACK, '--store', redis.url], KEYS)
    expect(await ended(child)).toMatchObject({ code: 2, errors: expect.stringContaining('or accept the loss') })
    child = processes.start([...LOOPBACK, '--store', redis.url, '--accept-loss'], KEYS)
    expect((await decide((await started(child)).url)).status).toBe(200)
  })
})
