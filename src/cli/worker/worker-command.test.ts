import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../../test/helpers/redis-server.ts'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { writeTinyBundle } from '../../../test/helpers/tiny-bundle.ts'
import { bundleWorker } from '../../engine/test-support/bundle-worker.ts'
import { connectRedis } from '../../redis/connect-redis.ts'
import { runTessera } from '../test-support/run-tessera.ts'

/** Has every import of onnxruntime fail, as where it is not installed. */
const WITHOUT_RUNTIME = `data:text/javascript,${encodeURIComponent(`
import { register } from 'node:module'
register('data:text/javascript,' + encodeURIComponent(\`
export async function resolve(specifier, context, next) {
  if (/^onnxruntime/.test(specifier)) throw new Error('not installed: ' + specifier)
  return next(specifier, context)
}\`))`)}`

const TESSERA_QUEUE_KEYS = `k:${randomBytes(32).toString('base64')}`

describe.skipIf(!hasRedis() || process.platform === 'win32')('a service in front of a worker', () => {
  let redis: TestRedis
  let cli: string
  let model: string
  const home = temporaryFolder()
  const children: ChildProcess[] = []
  const env = {
    ...process.env,
    NO_COLOR: '1',
    TESSERA_API_KEYS: 'a',
    TESSERA_QUEUE_KEYS,
  }
  beforeAll(async () => {
    redis = await startRedis()
    cli = fileURLToPath(await bundleWorker('src/cli/main.ts', 'cli-worker'))
    model = await writeTinyBundle()
  })
  afterEach(() => {
    vi.unstubAllEnvs()
    for (const child of children.splice(0)) child.kill('SIGKILL')
  })
  afterAll(async () => {
    await redis.stop()
    await Promise.all([model, home].map((folder) => rm(folder, { recursive: true })))
  })

  function run(
    args: readonly string[],
    more: Readonly<Record<string, string | undefined>> = {},
    flags: readonly string[] = [],
    stdout: 'pipe' | number = 'pipe',
  ) {
    const child = spawn(process.execPath, [...flags, cli, ...args], {
      env: { ...env, XDG_CONFIG_HOME: home, ...more },
      stdio: ['ignore', stdout, 'pipe'],
    })
    children.push(child)
    let text = ''
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (text += String(chunk)))
    return { child, printed: () => text, ended: once(child, 'close') }
  }

  async function front(...more: string[]) {
    const service = run(['serve', '--port', '0', '--queue', redis.url, ...more], {}, ['--import', WITHOUT_RUNTIME])
    await expect.poll(service.printed, { timeout: 30_000 }).toContain('listening on ')
    const [, url] = /listening on (\S+)/.exec(service.printed())!
    const send = (path: string, init: RequestInit = {}) =>
      fetch(`${url}${path}`, {
        ...init,
        headers: { authorization: 'Bearer a', 'content-type': 'application/json', ...(init.headers as object) },
      })
    return { ...service, send }
  }

  const worker = (...more: string[]) => workerOf(model, ...more)

  async function workerOf(folder: string, ...more: string[]) {
    const args = ['worker', '--queue', redis.url, '--use', folder, '--backend', 'cpu', '--jobs', 'decide', ...more]
    const started = run(args)
    await expect.poll(started.printed, { timeout: 30_000 }).toContain('taking work')
    return started
  }

  const body = JSON.stringify({
    state: 'The invoice is wrong',
    questions: { q: { type: 'noul', instructions: 'Urgent?' } },
  })

  it('answers with its models, without a runtime of its own, plainly and as a job; both end when told to', async () => {
    const service = await front()
    expect((await service.send('/readyz')).status).toBe(503)
    const working = await worker()
    await expect.poll(async () => (await service.send('/readyz')).status, { timeout: 10_000 }).toBe(200)
    const plain = await service.send('/v1/systemone', { method: 'POST', body })
    expect([plain.status, await plain.json()]).toEqual([200, expect.objectContaining({ model: 'tiny' })])
    const client = await connectRedis(redis.url)
    await expect.poll(() => client.keys('tessera-queue:*:open')).toEqual(['tessera-queue:decide-decide-latest:open'])
    client.destroy()
    const accepted = await service.send('/v1/systemone', { method: 'POST', body, headers: { prefer: 'respond-async' } })
    expect(accepted.status).toBe(202)
    const job = async () => (await (await service.send(accepted.headers.get('location')!)).json()) as object
    await expect.poll(job, { timeout: 10_000 }).toMatchObject({ status: 'succeeded', result: { model: 'tiny' } })
    for (const { child, ended } of [service, working]) {
      child.kill('SIGTERM')
      expect(await ended).toEqual([0, null])
    }
  }, 90_000)

  it('sends choices of as many options as both were told to take', async () => {
    const most = ['--max-options', '30']
    const service = await front(...most)
    await worker(...most)
    const criteria = Object.fromEntries(Array.from({ length: 27 }, (_, index) => [`option ${index}`, null]))
    const wide = JSON.stringify({ state: 'x', questions: { q: { type: 'choice', criteria } } })
    const ask = async () => (await service.send('/v1/systemone', { method: 'POST', body: wide })).text()
    await expect.poll(ask, { timeout: 20_000 }).toContain('has 27 options, and this model tells at most 26 apart')
  }, 60_000)

  it('tells of its faults with their cause, under an id that the front has too', async () => {
    const damaged = await writeTinyBundle()
    try {
      const [service, working] = [await front(), await workerOf(damaged)]
      await truncate(join(damaged, 'model.safetensors'), 9)
      const ask = async () => (await service.send('/v1/systemone', { method: 'POST', body })).status
      await expect.poll(ask, { timeout: 20_000 }).toBe(500)
      const told = /^500 decide ([\da-f-]{36})\nModelFormatError: /m
      await expect.poll(working.printed).toMatch(told)
      const [, id] = told.exec(working.printed())!
      await expect.poll(service.printed).toContain(`the worker of the call ${id} failed`)
    } finally {
      await rm(damaged, { recursive: true })
    }
  }, 90_000)

  it.skipIf(process.platform !== 'linux')(
    'takes work on where the process of its model has ended',
    async () => {
      const [service, { child }] = [await front(), await worker('--isolate')]
      const ask = async () => (await service.send('/v1/systemone', { method: 'POST', body })).status
      await expect.poll(ask, { timeout: 20_000 }).toBe(200)
      const children = () => readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ')
      const [first] = children()
      process.kill(Number(first), 'SIGKILL')
      await expect.poll(ask, { timeout: 20_000 }).toBe(200)
      expect([child.exitCode, children()]).toEqual([null, [expect.not.stringMatching(`^${first}$`)]])
    },
    90_000,
  )

  it.skipIf(process.platform !== 'linux')(
    'works on where nobody can read that it does',
    async () => {
      const service = await front()
      const full = openSync('/dev/full', 'w')
      const { child, ended } = run(['worker', '--queue', redis.url, '--use', model, '--backend', 'cpu'], {}, [], full)
      closeSync(full)
      const ask = async () => (await service.send('/v1/systemone', { method: 'POST', body })).status
      await expect.poll(ask, { timeout: 30_000 }).toBe(200)
      child.kill('SIGTERM')
      expect(await ended).toEqual([0, null])
    },
    90_000,
  )

  it('ends with the reason where its server is full', async () => {
    const full = await startRedis(['--maxmemory', '1000'])
    const { printed, ended } = run(['worker', '--queue', full.url, '--use', model, '--backend', 'cpu'])
    expect(await ended).toEqual([2, null])
    expect(printed()).toContain('error connection: the Redis server does not let a worker start (OOM command')
    await full.stop()
  }, 30_000)

  it.each([
    [['serve', '--queue', 'URL', '--use', 'decide-mini'], {}, '--use: is for tessera worker where there is --queue'],
    [['serve', '--queue', 'URL', '--isolate'], {}, '--isolate: is for tessera worker where there is --queue'],
    [['serve', '--queue', 'URL'], { TESSERA_QUEUE_KEYS: '' }, 'keys: are needed, as prompts'],
    [['worker', '--queue', 'URL'], { TESSERA_QUEUE_KEYS: '' }, 'keys: are needed, as prompts'],
    [['worker'], {}, '--queue: must name a Redis server'],
    [['worker', '--queue', 'URL', '--jobs', 'paint'], {}, "jobs.0: must be one of decide, images, got 'paint'"],
    [['serve', '--queue', 'redis://127.0.0.1:1'], {}, 'connection: the Redis server could not be reached'],
  ])('%j with %j ends with one line that says why', async (args, more, reason) => {
    for (const [name, value] of Object.entries({
      TESSERA_API_KEYS: 'a',
      TESSERA_QUEUE_KEYS,
      XDG_STATE_HOME: home,
      ...more,
    }))
      vi.stubEnv(name, value)
    const { code, stderr } = await runTessera(...args.map((arg) => (arg === 'URL' ? redis.url : arg)))
    expect([code, stderr]).toEqual([2, expect.stringContaining(`error ${reason}`)])
  })
})
