import { once } from 'node:events'
import { stat, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { runTessera } from '../test-support/run-tessera.ts'
import { ended, prepareServe, type ServeProcesses, started } from '../test-support/serve-process.ts'

let processes: ServeProcesses
let home: string
beforeAll(async () => {
  processes = await prepareServe()
  home = processes.home
})
afterEach(() => vi.unstubAllEnvs())
afterAll(() => processes.remove())

const serve: ServeProcesses['start'] = (...call) => processes.start(...call)

// Windows has no signals, by which a process is told to end.
describe.skipIf(process.platform === 'win32')('tessera serve', () => {
  it('prints a new key once, answers with it alone, and ends cleanly when told to', async () => {
    const first = serve(['--port', '0'])
    const { url, key } = await started(first)
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    const body = JSON.stringify({
      state: 'The invoice is wrong',
      questions: { q: { type: 'noul', instructions: 'Urgent?' } },
    })
    const send = (authorization: string) =>
      fetch(`${url}/v1/systemone`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization },
        body,
      })
    expect((await send('Bearer wrong')).status).toBe(401)
    const response = await send(`Bearer ${key}`)
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ model: 'tiny' })])
    first.kill('SIGTERM')
    expect(await ended(first)).toMatchObject({ code: 0 })

    const second = serve(['--port', '0'])
    expect(await started(second)).toMatchObject({ key: undefined })
    second.kill('SIGINT')
    expect(await ended(second)).toMatchObject({ code: 0 })
  })

  it('takes choices of as many options as it is told to', async () => {
    const service = serve(['--port', '0', '--max-options', '30'], { TESSERA_API_KEYS: 'a' })
    const { url } = await started(service)
    const criteria = Object.fromEntries(Array.from({ length: 27 }, (_, index) => [`option ${index}`, null]))
    const response = await fetch(`${url}/v1/systemone`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer a' },
      body: JSON.stringify({ state: 'x', questions: { q: { type: 'choice', criteria } } }),
    })
    expect(await response.text()).toContain('has 27 options, and this model tells at most 26 apart')
    service.kill('SIGTERM')
    expect(await ended(service)).toMatchObject({ code: 0 })
  })

  it('answers, and ends cleanly, after the reader of its messages has gone', async () => {
    const child = serve(['--port', '0'], { TESSERA_API_KEYS: 'a' })
    const { url } = await started(child)
    child.stderr!.destroy()
    // The connection that stays open keeps the service in its last phase, whose message nobody reads.
    const response = await fetch(`${url}/healthz`)
    child.kill('SIGTERM')
    expect(response.status).toBe(200)
    expect(await once(child, 'close')).toEqual([0, null])
  })

  it('ends under a parent that listens in the process, as pm2 does in cluster mode', async () => {
    const NODE_OPTIONS = `--import="data:text/javascript,process.on('message',()=>{})"`
    const child = serve(['--port', '0'], { NODE_OPTIONS }, ['ignore', 'pipe', 'pipe', 'ipc'])
    await started(child)
    child.kill('SIGINT')
    expect(await ended(child)).toMatchObject({ code: 0 })
    const refused = serve(['--port', '70000'], { NODE_OPTIONS }, ['ignore', 'ignore', 'pipe', 'ipc'])
    expect(await ended(refused)).toMatchObject({ code: 2, errors: expect.stringContaining('--port') })
  })

  it('writes a line of JSON for each request', async () => {
    const child = serve(['--port', '0'], { TESSERA_API_KEYS: 'a' })
    let printed = ''
    child.stdout!.on('data', (chunk) => (printed += String(chunk)))
    await expect.poll(() => printed, { timeout: 50_000 }).toContain('listening on ')
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    const [, url] = /listening on (\S+)/.exec(printed)!
    await fetch(`${url}/livez`, { headers: { traceparent } })
    await expect.poll(() => printed, { timeout: 10_000 }).toContain('/livez')
    expect(JSON.parse(printed.trim().split('\n').at(-1)!)).toMatchObject({
      route: '/livez',
      status: 200,
      trace_id: traceparent.slice(3, 35),
    })
    child.kill('SIGTERM')
    expect(await ended(child)).toMatchObject({ code: 0 })
  })

  it('reads its keys again on SIGHUP, and says what is wrong with them', async () => {
    const file = join(home, 'own-keys.json')
    await writeFile(file, JSON.stringify({ keys: ['a'] }))
    const child = serve(['--port', '0', '--keys-file', file])
    let errors = ''
    child.stderr!.on('data', (chunk) => (errors += String(chunk)))
    const { url } = await started(child)
    const statuses = () =>
      Promise.all(
        ['a', 'b'].map(
          async (key) => (await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status,
        ),
      )
    await writeFile(file, JSON.stringify({ keys: ['b'] }))
    child.kill('SIGHUP')
    await expect.poll(statuses, { timeout: 10_000 }).toEqual([401, 200])
    await writeFile(file, '{')
    child.kill('SIGHUP')
    await expect
      .poll(() => errors, { timeout: 10_000 })
      .toContain(`keys stay as they were keys-file: ${file} must hold`)
    expect(await statuses()).toEqual([401, 200])
    child.kill('SIGTERM')
    expect(await ended(child)).toMatchObject({ code: 0 })
  })

  it('lives through SIGHUP, and ends within its grace under a client that stalls', async () => {
    const child = serve(['--port', '0', '--grace', '1s', '--preload'], { TESSERA_API_KEYS: 'a' })
    const { url } = await started(child)
    expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ status: 'ready' })
    child.kill('SIGHUP')
    const stalled = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {})
    stalled.write('POST /v1/systemone HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\n')
    stalled.write('Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{')
    await expect.poll(async () => (await fetch(`${url}/livez`)).status).toBe(200)
    const began = performance.now()
    child.kill('SIGTERM')
    expect(await ended(child)).toMatchObject({ code: 0 })
    expect(performance.now() - began).toBeLessThan(10_000)
  })

  it.each([[['--port', '70000']], [['--threads', '0']]])('with %j makes no key', async (args) => {
    const folder = join(home, args.join(''))
    vi.stubEnv('TESSERA_API_KEYS', undefined)
    vi.stubEnv('XDG_CONFIG_HOME', folder)
    expect(await runTessera('serve', ...args)).toMatchObject({ code: 2, stdout: '' })
    await expect(stat(folder)).rejects.toThrow('ENOENT')
  })

  it.each([
    [['--grace', '25'], "--grace: must be a duration such as 25s, 500ms or 2m, got '25'"],
    [['--drain', '30s'], '--drain: must not be longer than --grace'],
    [['--request-timeout', '0s'], "--request-timeout: must be 1ms or longer, got '0s'"],
    [['--keys-file', 'none.json'], 'keys-file: there is no file none.json'],
    [['--port', 'x'], "--port: must be a number, got 'x'"],
    [['--port', '70000'], '--port: must be a whole number from 0 to 65535'],
    [['--use', 'none'], "--use: the model 'none' was not found"],
    [['--use', 'image-mini'], '--use: image-mini is a model for images, and decide-latest is asked for decisions'],
    [['--use', 'alpha-image-turbo=decide-mini'], '--use: decide-mini is a model for decisions, and alpha-image-turbo'],
    [['--store', 'nosql://x'], 'store: must be "memory", a redis: URL or the path of an SQLite file'],
    [['--consoles'], '--consoles: is no option of this command'],
  ])('with %j ends with one line that says why', async (args, reason) => {
    vi.stubEnv('TESSERA_API_KEYS', 'a')
    vi.stubEnv('XDG_STATE_HOME', home)
    const { code, stderr } = await runTessera('serve', ...args)
    expect(stderr).toContain(`error ${reason}`)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(code).toBe(2)
  })
})
