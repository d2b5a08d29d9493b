import { chmod, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runCommand } from 'citty'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { hasRedis, startRedis } from '../../../test/helpers/redis-server.ts'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { createKeyStore, createServer, openRedisStore } from '../../http/index.ts'
import { bearer, IMAGE_BODIES, post } from '../../http/test-support/requests.ts'
import { createStubEngine } from '../../http/test-support/stub-engine.ts'
import { runTessera } from '../test-support/run-tessera.ts'
import { keysCommand } from './keys-command.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = temporaryFolder()
  file = join(folder, 'keys.json')
  vi.stubEnv('XDG_CONFIG_HOME', folder)
})
afterEach(async () => {
  vi.unstubAllEnvs()
})

const run = (...args: string[]) => runTessera('keys', ...args)
const print = async (...args: string[]) => (await run(...args)).stdout
const inFile = (...args: string[]) => print(...args, '--keys-file', file)
const keyOf = (text: string) => /^key (tsr_[\w-]{43})$/m.exec(text)![1]!
const find = async (key: string) => createKeyStore(JSON.parse(await readFile(file, 'utf8')).keys).find(key)
const list = async (...place: string[]) => JSON.parse(await print('list', '--json', ...place)).keys

describe('tessera keys of a file', () => {
  it('adds a key that is shown once, with its settings', async () => {
    const settings = ['--scopes', 'decide,metrics', '--models', 'decide-latest', '--rpm', '60', '--tpm', '9000']
    const key = keyOf(await inFile('add', '--account', 'shop', ...settings, '--prepaid', '25', '--expires', '90d'))
    expect(await find(key)).toEqual({
      id: 'shop',
      scopes: ['decide', 'metrics'],
      models: ['decide-latest'],
      requestsPerMinute: 60,
      tokensPerMinute: 9000,
      prepaid: '25',
      expires: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    })
    const text = await readFile(file, 'utf8')
    expect(text).not.toContain(key.slice(9))
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600)
    const listed = await inFile('list')
    expect(listed).toMatch(
      /^key_[0-9a-f]{12}  tsr_\S{5}…  shop  decide,metrics  models decide-latest  until \S+  25 EUR paid in\n$/,
    )
    expect(listed).not.toContain(key.slice(9))
  })

  it('says where the file cannot be written', async () => {
    await inFile('add')
    const { code, stderr } = await run('add', '--keys-file', join(file, 'folder', 'keys.json'))
    expect(stderr).toMatch(/^error keys-file: .*keys\.json could not be (read|written) \(ENOTDIR\)\n$/)
    expect(code).toBe(2)
  })

  it('revokes a key by its name, and not the last one', async () => {
    const first = keyOf(await inFile('add', '--account', 'a'))
    const second = keyOf(await inFile('add', '--account', 'b'))
    const [{ name }, other] = await list('--keys-file', file)
    expect(await inFile('revoke', name)).toBe(`revoked ${name} of a\n`)
    expect([await find(first), await find(second)]).toEqual([undefined, { id: 'b' }])
    const refuse = async (revoked: string) => (await run('revoke', revoked, '--keys-file', file)).stderr
    expect(await refuse(other.name)).toMatch(/^error key: is the last one in .*keys\.json, which needs one/)
    expect(await refuse('key_000000000000')).toMatch(/^error key: there is no key of this name here/)
    expect(await find(second)).toEqual({ id: 'b' })
  })

  it('rotates a key with a time in which both hold', async () => {
    const old = keyOf(await inFile('add', '--account', 'shop', '--prepaid', '5'))
    const [{ name }] = await list('--keys-file', file)
    const answer = JSON.parse(await inFile('rotate', name, '--overlap', '2h', '--json'))
    expect(await find(answer.key)).toEqual({ id: 'shop', prepaid: '5' })
    const { expires } = (await find(old))!
    expect(Math.abs(Date.parse(expires!) - Date.now() - 7_200_000)).toBeLessThan(60_000)
  })

  it('tops an account up', async () => {
    const key = keyOf(await inFile('add', '--account', 'shop', '--prepaid', '5'))
    expect(await inFile('topup', 'shop', '0.5')).toBe('paid in 0.5 EUR for shop, 5.5 in all\n')
    expect(await find(key)).toEqual({ id: 'shop', prepaid: '5.5' })
  })

  it('loses none of the changes that come at once, and leaves nothing behind', async () => {
    for (const stream of [process.stdout, process.stderr]) vi.spyOn(stream, 'write').mockReturnValue(true)
    const add = (index: number) =>
      runCommand(keysCommand, { rawArgs: ['add', '--account', `a${index}`, '--keys-file', file] })
    await Promise.all(Array.from({ length: 8 }, (_, index) => add(index)))
    vi.restoreAllMocks()
    expect(await list('--keys-file', file)).toHaveLength(8)
    expect(await readdir(folder)).toEqual(['keys.json'])
  })

  it('keeps what a file may be read by, and a link', async () => {
    await writeFile(join(folder, 'real.json'), JSON.stringify({ keys: ['mine'] }))
    await chmod(join(folder, 'real.json'), 0o640)
    await symlink('real.json', file)
    await inFile('add')
    const { mode } = await stat(join(folder, 'real.json'))
    if (process.platform !== 'win32') expect(mode & 0o777).toBe(0o640)
    expect(await find('mine')).toBeDefined()
  })

  it('is by default the one that tessera serve makes', async () => {
    await run('add', '--account', 'shop')
    expect(await readdir(join(folder, 'tessera'))).toEqual(['keys.json'])
  })

  it.each([
    [['add', '--scopes', 'all'], /^error --scopes: must be of decide, images, metrics, admin, got 'all'/],
    [['add', '--models', ''], /^error --models: must be names, separated by commas, got an empty one/],
    [['add', '--rpm', '0'], /^error --rpm: must be a whole number/],
    [['add', '--account', 'x'.repeat(201)], /^error --account: must be 1 to 200 characters/],
    [['add', '--prepaid', '1,5'], /^error --prepaid: must be EUR, such as 25 or 0\.50, got '1,5'/],
    [['topup', 'shop', 'abc'], /^error amount: must be EUR, such as 25 or 0\.50, got 'abc'/],
    [['add', '--expires', '2027-01-31'], /^error --expires: must be a time with its zone/],
    [['add', '--expires', 'soon'], /^error --expires: must be a duration/],
    [['add', '--expires', '2020-01-01T00:00:00Z'], /^error --expires: must be in the future/],
    [['add', '--rpm', 'x'], /^error --rpm: must be a number/],
    [['topup', 'nobody', '1'], /^error account: there is no key of this account here/],
    ...[['list'], ['revoke', 'key_x'], ['rotate', 'key_x'], ['topup', 'shop', '1']].map(
      (command): [string[], RegExp] => [
        [...command, '--store', './none.db'],
        /^error --store: the file .\/none.db is not there; npx tessera-onnx serve and npx tessera-onnx keys add make it/,
      ],
    ),
    [['list'], /^error --keys-file: the file .* is not there; npx tessera-onnx keys add makes it/],
    [['list', '--store', 'memory'], /^error --store: must be a file or a Redis server/],
  ])('refuses %j in one line', async (args, reason) => {
    const { code, stderr } = await run(...args, '--keys-file', file)
    expect(stderr).toMatch(reason)
    expect(code).toBe(2)
    expect(await readdir(folder)).toEqual([])
  })
})

describe.skipIf(!hasRedis())('tessera keys of a store', () => {
  it('are those of every process that uses it, with what is left of their money', async () => {
    const redis = await startRedis()
    const store = ['--store', redis.url]
    const added = keyOf(await print('add', '--account', 'shop', '--prepaid', '5', ...store))
    await run('topup', 'shop', '2.5', ...store)
    expect(await list(...store)).toMatchObject([{ account: 'shop', prepaid: '7.5', balance: '7.5' }])
    expect(added).toMatch(/^tsr_/)
    await redis.stop()
  })

  it('of a file, with balances of a store beside it, whose trail has nothing of them', async () => {
    const redis = await startRedis()
    const places = ['--keys-file', file, '--store', redis.url]
    const key = keyOf(await print('add', '--account', 'shop', '--prepaid', '5', ...places))
    const store = await openRedisStore(redis.url)
    const server = createServer({ engine: createStubEngine().engine, keys: [{ key, id: 'shop', prepaid: '5' }], store })
    const [path, body] = IMAGE_BODIES[0]
    expect((await server.fetch(post(body, { path, headers: bearer(key) }))).status).toBe(200)
    expect(await list(...places)).toMatchObject([{ account: 'shop', prepaid: '5', balance: '4.8' }])
    expect(await store.names('audit:')).toEqual([])
    expect(await store.names('keys')).toEqual([])
    await store.close()
    await redis.stop()
  })
})
