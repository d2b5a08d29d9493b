import { once } from 'node:events'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { createServer } from '../index.ts'
import { hasSqlite } from '../test-support/has-sqlite.ts'
import { bearer, BODY } from '../test-support/requests.ts'
import { createStubEngine } from '../test-support/stub-engine.ts'
import { chooseKeys, isLoopback } from './choose-keys.ts'
import { makeKeyFile } from './key-file.ts'
import { openStore } from './open-store.ts'
import { serveHttp } from './serve-http.ts'

let folder: string
beforeEach(() => void (folder = temporaryFolder()))

describe('the keys', () => {
  const home = () => ({ XDG_CONFIG_HOME: folder })

  it('are made on the first run, shown once, and kept as a digest that only the owner may read', async () => {
    const first = await chooseKeys('127.0.0.1', undefined, home())
    const { key, file } = first.fresh!
    expect(key).toMatch(/^tsr_[\w-]{43}$/)
    expect(file).toBe(join(folder, 'tessera', 'keys.json'))
    expect(await first.keys.find(key)).toMatchObject({ id: 'default', scopes: ['decide', 'images', 'metrics'] })
    expect(await readFile(file, 'utf8')).not.toContain(key)
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600)

    const second = await chooseKeys('127.0.0.1', undefined, home())
    expect(second.fresh).toBeUndefined()
    expect(await second.keys.find(key)).toMatchObject({ id: 'default', scopes: ['decide', 'images', 'metrics'] })
  })

  it('of a first run are unknown where a variable of keys is set, that of operators too', async () => {
    const { fresh } = await chooseKeys('127.0.0.1', undefined, home())
    const { keys } = await chooseKeys('127.0.0.1', undefined, { ...home(), TESSERA_ADMIN_KEYS: 'operator' })
    expect(await keys.find(fresh!.key)).toBeUndefined()
    expect(await keys.find('operator')).toMatchObject({ scopes: ['admin'] })
  })

  it('are made once where several processes run for the first time at once', async () => {
    const choices = await Promise.all(Array.from({ length: 8 }, () => chooseKeys('127.0.0.1', undefined, home())))
    const [fresh, ...more] = choices.flatMap((choice) => choice.fresh ?? [])
    expect(more).toEqual([])
    for (const { keys } of choices)
      expect(await keys.find(fresh!.key)).toMatchObject({ id: 'default', scopes: ['decide', 'images', 'metrics'] })
    expect(await readdir(join(folder, 'tessera'))).toEqual(['keys.json'])
  })

  it('are asked for where those of a first run cannot be written', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    const refused = {
      path: 'keys-file',
      message: expect.stringMatching(/cannot be written \(E\w+\); set TESSERA_API_KEYS or give --keys-file/),
    }
    await expect(makeKeyFile(join(file, 'tessera', 'keys.json'))).rejects.toMatchObject(refused)
    // As of accounts of services, whose home is /dev/null.
    await expect(chooseKeys('127.0.0.1', undefined, { XDG_CONFIG_HOME: file })).rejects.toMatchObject(refused)
  })

  it('are not made where other machines could connect', async () => {
    for (const host of ['0.0.0.0', '::', '192.168.0.7', 'example.org', '']) {
      await expect(chooseKeys(host, undefined, home())).rejects.toMatchObject({
        path: 'host',
        message: expect.stringContaining('TESSERA_API_KEYS'),
      })
    }
    await expect(chooseKeys('0.0.0.0', undefined, { ...home(), TESSERA_API_KEYS: 'a' })).resolves.toBeDefined()
  })

  it('that were made for this machine are not taken where others could connect, by whatever name', async () => {
    const { fresh } = await chooseKeys('127.0.0.1', undefined, home())
    await expect(chooseKeys('0.0.0.0', undefined, home())).rejects.toMatchObject({ path: 'host' })
    await expect(chooseKeys('0.0.0.0', fresh!.file, home())).rejects.toThrow(
      /keys\.0: was made for this machine alone; revoke it/,
    )
    const unmarked = join(folder, 'tessera', 'keys.json')
    await writeFile(unmarked, JSON.stringify({ keys: [{ id: 'default', key: 'of 0.1.0'.replace(/ /g, '-') }] }))
    await expect(chooseKeys('0.0.0.0', undefined, home())).rejects.toMatchObject({ path: 'host' })
  })

  it('come from a named file before the environment, with their settings', async () => {
    const file = join(folder, 'k.json')
    // As editors on Windows write it.
    await writeFile(file, `\uFEFF${JSON.stringify({ keys: ['plain', { key: 'b', id: 'app', freeTokens: 5 }] })}`)
    const { keys } = await chooseKeys('0.0.0.0', file, { TESSERA_API_KEYS: 'other' })
    expect([await keys.find('b'), await keys.find('other')]).toEqual([{ id: 'app', freeTokens: 5 }, undefined])
  })

  it.each([
    ['TESSERA_METRICS_KEYS', 'metrics'],
    ['TESSERA_ADMIN_KEYS', 'admin'],
  ])('of %s are refused beside a named file, which would leave them without effect', async (name, scope) => {
    const file = join(folder, 'k.json')
    await writeFile(file, JSON.stringify({ keys: ['plain'] }))
    for (const value of ['CANARY', '']) {
      const error = (await chooseKeys('127.0.0.1', file, { [name]: value }).catch((thrown: unknown) => thrown)) as Error
      expect(error).toMatchObject({ path: name, message: expect.stringContaining(`keys add --scopes ${scope}`) })
      expect(error.message).not.toContain('CANARY')
    }
  })

  it('are not made in place of a named file that is not there', async () => {
    await expect(chooseKeys('127.0.0.1', join(folder, 'none.json'), {})).rejects.toThrow(/^keys-file: there is no file/)
    await expect(chooseKeys('127.0.0.1', folder, {})).rejects.toThrow(/could not be read \(EISDIR\)$/)
  })

  it.each([
    ['CANARY', 'must hold'],
    ['[]', 'must hold'],
    ['{"keys":{}}', 'must hold'],
    ['{"keys":[]}', 'at least one key'],
    ['{"keys":[{"key":"CANARY","fre":1}]}', 'keys.0'],
    ['{"keys":["CANARY","CANARY"]}', 'keys.1.key'],
  ])('in a file with %s are refused by its name, and not shown', async (text, reason) => {
    const file = join(folder, 'k.json')
    await writeFile(file, text)
    const error = (await chooseKeys('127.0.0.1', file, {}).catch((thrown: unknown) => thrown)) as Error
    expect(error.message).toContain(`keys-file: ${file}`)
    expect(error.message).toContain(reason)
    expect(error.message + String(error.cause)).not.toContain('CANARY')
  })
})

it.each([
  ['127.0.0.1', true],
  ['127.1.2.3', true],
  ['::1', true],
  ['localhost', true],
  ['0.0.0.0', false],
  ['127.0.0.1.example.org', false],
  ['::', false],
  ['1270.0.1', false],
])('%s is this machine alone: %s', (host, loopback) => {
  expect(isLoopback(host)).toBe(loopback)
})

describe('the store', () => {
  it('is memory, a server or a file', async () => {
    await (await openStore('memory')).close()
    for (const name of ['', 'postgres://localhost'])
      await expect(openStore(name)).rejects.toThrow(/^store: must be "memory", a redis: URL or/)
    await expect(openStore('redis://127.0.0.1:1')).rejects.toThrow(
      /^store: the Redis server could not be reached .*ECONNREFUSED/,
    )
  })

  it.skipIf(!hasSqlite())('is made where the file is not there', async () => {
    const store = await openStore(join(folder, 'usage.db'))
    await store.update('a', () => 'x')
    await store.close()
    expect((await stat(join(folder, 'usage.db'))).isFile()).toBe(true)
  })
})

describe('the HTTP service', () => {
  const send = (url: string) =>
    fetch(`${url}/v1/systemone`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...bearer('k') },
      body: JSON.stringify(BODY),
    })

  it('finishes what is being answered before it closes, and takes nothing more', async () => {
    const stub = createStubEngine()
    const open = stub.hold()
    const service = await serveHttp(createServer({ engine: stub.engine, keys: ['k'] }), '127.0.0.1', 0)
    const running = send(service.url)
    await vi.waitUntil(() => stub.counts.running === 1, { timeout: 120_000 })
    const closing = service.close()
    await sleep(20)
    await expect(send(service.url)).rejects.toThrow('fetch failed')
    open()
    expect((await running).status).toBe(200)
    await closing
  })

  it('closes at once when idle, also under clients that keep their connection', async () => {
    const service = await serveHttp(createServer({ engine: createStubEngine().engine, keys: ['k'] }), '::1', 0)
    expect(service.url).toMatch(/^http:\/\/\[::1\]:\d+$/)
    expect((await send(service.url)).status).toBe(200)
    await service.close()
  })

  it('closes under a connection that was opened ahead and never used', async () => {
    const service = await serveHttp(createServer({ engine: createStubEngine().engine, keys: ['k'] }), '127.0.0.1', 0)
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1').on('error', () => {})
    await once(socket, 'connect')
    await send(service.url)
    await service.close()
    if (!socket.closed) await once(socket, 'close')
  })

  it('says which address it cannot have', async () => {
    const server = createServer({ engine: createStubEngine().engine, keys: ['k'] })
    const first = await serveHttp(server, '127.0.0.1', 0)
    const port = Number(new URL(first.url).port)
    await expect(serveHttp(server, '127.0.0.1', port)).rejects.toThrow(
      `port: cannot listen on 127.0.0.1, port ${port} (it is taken)`,
    )
    for (const wrong of [-1, 65_536, 1.5, Number.NaN]) {
      await expect(serveHttp(server, '127.0.0.1', wrong)).rejects.toThrow(
        /^port: must be a whole number from 0 to 65535/,
      )
    }
    await first.close()
  })
})
