import type fs from 'node:fs/promises'
import { lstat, readdir, readFile, rename, rm, statfs, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { AbortedError, InvalidRequestError, ModelFormatError, ModelNotFoundError } from '../../errors/index.ts'
import { resolveModel } from '../find/resolve-model.ts'
import type * as pauseModule from './pause.ts'
import { pullModel } from './pull-model.ts'
import { COMMIT, type FakeHub, startFakeHub } from './test-support/fake-hub.ts'

vi.mock('node:fs/promises', async (original) => {
  const files = await original<typeof fs>()
  return { ...files, symlink: vi.fn<typeof symlink>(files.symlink), statfs: vi.fn<typeof fs.statfs>(files.statfs) }
})

vi.mock('./pause.ts', async (original) => {
  const { pause } = await original<typeof pauseModule>()
  // Waits for other processes take their time, waits before another try are only counted.
  return { pause: vi.fn<typeof pause>((ms, signal) => (ms === 500 ? pause(20, signal) : Promise.resolve())) }
})

const WEIGHTS = 'weights of the model, '.repeat(4000)
const FILES = { 'config.json': '{"some":"config"}', 'model.safetensors': WEIGHTS, 'notes.pdf': 'left out' }

/** A file of weights whose header says that it holds none. */
const WHOLE = { ...FILES, 'model.safetensors': `\x02${'\0'.repeat(7)}{}` }

let home: string
beforeEach(() => void (home = temporaryFolder()))
afterEach(async () => {
  vi.mocked(statfs).mockReset()
})

const blobsOf = () => join(home, 'hub', 'models--owner--model', 'blobs')
const pull = (hub: FakeHub, more: object = {}) =>
  pullModel({ id: 'owner/model', env: { HF_HOME: home, HF_ENDPOINT: hub.url }, ...more })

it('downloads what is needed to where the model is then found by name', async () => {
  await using hub = await startFakeHub(FILES)
  const progress: number[] = []
  const folder = await pull(hub, {
    onProgress: ({ done, total }: { done: number; total: number }) => progress.push(done / total),
  })
  expect(await readdir(folder)).toEqual(['config.json', 'model.safetensors'])
  expect((await readFile(join(folder, 'model.safetensors'), 'utf8')) === WEIGHTS).toBe(true)
  expect(await resolveModel('owner/model', { HF_HOME: home })).toMatchObject({ folder })
  expect(progress.at(-1)).toBe(1)
  expect(progress).toEqual(progress.toSorted((a, b) => a - b))
})

it('fetches nothing twice', async () => {
  await using hub = await startFakeHub(FILES)
  await pull(hub)
  const before = hub.downloads.length
  await pull(hub)
  expect(hub.downloads).toHaveLength(before)
})

/** Leaves the first bytes of the weights, as a download that was ended does. */
async function leavePartial(hub: FakeHub, bytes: number): Promise<string> {
  hub.cut('model.safetensors', bytes)
  const controller = new AbortController()
  const pulling = pull(hub, {
    signal: controller.signal,
    onRetry: () => controller.abort(),
  })
  await expect(pulling).rejects.toThrow(AbortedError)
  return (await readdir(blobsOf())).find((name) => name.endsWith('.incomplete'))!
}

it('continues a file where the connection broke', async () => {
  await using hub = await startFakeHub(FILES)
  await leavePartial(hub, 5000)
  await expect(resolveModel('owner/model', { HF_HOME: home })).rejects.toThrow(ModelNotFoundError)
  const folder = await pull(hub)
  expect(hub.downloads.at(-1)).toBe('model.safetensors 5000')
  expect((await readFile(join(folder, 'model.safetensors'), 'utf8')) === WEIGHTS).toBe(true)
})

it('gives every one of several downloads at once the right file', async () => {
  await using hub = await startFakeHub(FILES)
  hub.slow('model.safetensors')
  let second: Promise<string> | undefined
  const onProgress = ({ done }: { done: number }) => {
    if (done > 20_000) second ??= pull(hub)
  }
  for (const folder of [await pull(hub, { onProgress }), await second!]) {
    expect((await readFile(join(folder, 'model.safetensors'), 'utf8')) === WEIGHTS).toBe(true)
  }
  expect(hub.downloads.filter((file) => file.startsWith('model'))).toHaveLength(1)
  await expect(readdir(blobsOf())).resolves.toSatisfy((names: string[]) =>
    names.every((name) => /^[0-9a-f]+$/.test(name)),
  )
})

it('makes one right snapshot of two downloads that end at once', async () => {
  for (let round = 0; round < 5; round++) {
    const hubHome = join(home, String(round))
    await using hub = await startFakeHub(FILES)
    const folders = await Promise.all(
      [0, 1].map(() => pullModel({ id: 'owner/model', env: { HF_HOME: hubHome, HF_ENDPOINT: hub.url } })),
    )
    for (const file of await readdir(folders[0]!))
      expect((await lstat(join(folders[0]!, file))).isSymbolicLink()).toBe(true)
  }
})

it('mends a link that leads nowhere', async () => {
  await using hub = await startFakeHub(FILES)
  const folder = await pull(hub)
  for (const name of await readdir(blobsOf())) await rm(join(blobsOf(), name))
  await pull(hub)
  expect((await readFile(join(folder, 'model.safetensors'), 'utf8')) === WEIGHTS).toBe(true)
})

describe('where links are not allowed, or the disk is nearly full', () => {
  afterEach(() => void vi.mocked(symlink).mockReset())

  it('puts the files themselves, also where two are alike', async () => {
    vi.mocked(symlink).mockRejectedValue(Object.assign(new Error('no'), { code: 'EPERM' }))
    await using hub = await startFakeHub({ ...FILES, 'generation_config.json': FILES['config.json'] })
    const folder = await pull(hub)
    for (const name of ['config.json', 'generation_config.json'])
      expect(await readFile(join(folder, name), 'utf8')).toBe(FILES['config.json'])
    await pull(hub)
  })

  it('needs room for what is missing only', async () => {
    await using hub = await startFakeHub(FILES)
    await leavePartial(hub, 50_000)
    vi.mocked(statfs).mockResolvedValue({ bavail: 1, bsize: WEIGHTS.length - 20_000 } as never)
    await pull(hub)
    vi.mocked(statfs).mockResolvedValue({ bavail: 0, bsize: 1 } as never)
    await pull(hub)
    await rm(home, { recursive: true })
    await expect(pull(hub)).rejects.toThrow(/it needs 88\.0 kB, .* has 0 B left/)
    vi.mocked(statfs).mockReset()
  })
})

describe('what other tools or versions have left of a file', () => {
  const age = async (name: string, minutes: number) => {
    const then = Date.now() / 1000 - minutes * 60
    await utimes(join(blobsOf(), name), then, then)
  }

  it('is continued where nobody has written to it for long, and the smaller ones are removed', async () => {
    await using hub = await startFakeHub(FILES)
    const left = await leavePartial(hub, 5000)
    const hash = left.split('.')[0]!
    await rename(join(blobsOf(), left), join(blobsOf(), `${hash}.other.example.1.id.incomplete`))
    await writeFile(join(blobsOf(), `${hash}.incomplete`), 'w')
    for (const name of await readdir(blobsOf())) await age(name, 60)
    await pull(hub)
    expect(hub.downloads.at(-1)).toBe('model.safetensors 5000')
    expect((await readdir(blobsOf())).filter((name) => name.endsWith('.incomplete'))).toEqual([])
  })

  it('is left alone while somebody may write to it', async () => {
    await using hub = await startFakeHub(FILES)
    const left = await leavePartial(hub, 5000)
    const other = `${left.split('.')[0]}.incomplete`
    await rename(join(blobsOf(), left), join(blobsOf(), other))
    await age(other, 5)
    await pull(hub)
    expect(hub.downloads.at(-1)).toBe('model.safetensors -')
    expect(await readdir(blobsOf())).toContain(other)
  })
})

it.each([
  ['sha', '../../..'],
  ['oid', '../../../../elsewhere'],
])('refuses a hub whose %s leads elsewhere', async (field, value) => {
  await using hub = await startFakeHub(FILES)
  hub.lie(field, value)
  await expect(pull(hub)).rejects.toThrow('hexadecimal digits')
  expect(hub.downloads).toEqual([])
})

it('refuses content that is not what the repository lists, and keeps none of it', async () => {
  for (const path of ['config.json', 'model.safetensors']) {
    await using hub = await startFakeHub(FILES)
    hub.corrupt(path)
    await expect(pull(hub)).rejects.toThrow(`the content of ${path} does not have the hash`)
  }
  const blobs = await readdir(blobsOf())
  expect(blobs.filter((name) => name.endsWith('.incomplete'))).toEqual([])
})

it('stops on an abort', async () => {
  await using hub = await startFakeHub(FILES)
  const controller = new AbortController()
  const pulling = pull(hub, { signal: controller.signal, onProgress: () => controller.abort() })
  await expect(pulling).rejects.toThrow(AbortedError)
})

it('sends the token, and says so when one is needed', async () => {
  await using hub = await startFakeHub(FILES, 'hf_secret')
  await expect(pull(hub)).rejects.toThrow(/model: owner\/model: no such model, or it needs a token.*HF_TOKEN/)
  const env = { HF_HOME: home, HF_ENDPOINT: hub.url, HF_TOKEN: 'hf_secret' }
  expect(await pullModel({ id: 'owner/model', env })).toContain(COMMIT)
  await writeFile(join(home, 'work-token'), 'hf_secret\n')
  const named = { ...env, HF_TOKEN: '', HF_TOKEN_PATH: '$HF_HOME/work-token' }
  expect(await pullModel({ id: 'owner/model', env: named })).toContain(COMMIT)
  await writeFile(join(home, 'token'), 'hf_secret')
  expect(await pullModel({ id: 'owner/model', env: { ...env, HF_TOKEN: '' } })).toContain(COMMIT)
})

it('refuses what it cannot use with the reason', async () => {
  await using hub = await startFakeHub({ 'config.json': '{}', 'model.onnx': 'x' })
  await expect(pull(hub)).rejects.toThrow(ModelFormatError)
  await expect(pull(hub, { id: 'owner/other' })).rejects.toThrow(ModelNotFoundError)
  await expect(pull(hub, { id: '../../etc' })).rejects.toThrow(InvalidRequestError)
  expect(hub.downloads).toEqual([])
})

describe.each(['1', 'on', 'YES', 'True'])('with HF_HUB_OFFLINE=%s', (value) => {
  const offline = (hub: FakeHub) => ({ env: { HF_HOME: home, HF_ENDPOINT: hub.url, HF_HUB_OFFLINE: value } })

  it('asks nobody, and says what is missing', async () => {
    await using hub = await startFakeHub(WHOLE)
    await expect(pull(hub, offline(hub))).rejects.toThrow(
      `HF_HUB_OFFLINE is ${value}, and ${home}/hub has no copy of it`,
    )
    const folder = await pull(hub)
    const { length } = hub.downloads
    await expect(pull(hub, offline(hub))).resolves.toBe(folder)
    await rm(join(folder, 'model.safetensors'))
    await expect(pull(hub, offline(hub))).rejects.toThrow(`HF_HUB_OFFLINE is ${value}, and the copy is not whole`)
    expect(hub.downloads).toHaveLength(length)
  })
})

it.each(['', '0', 'false'])('downloads where HF_HUB_OFFLINE is %j', async (value) => {
  await using hub = await startFakeHub(FILES)
  const online = { HF_HOME: home, HF_ENDPOINT: hub.url, HF_HUB_OFFLINE: value }
  await expect(pull(hub, { env: online })).resolves.toContain(COMMIT)
})

it.each(['../out.json', '..\\..\\out.json', 'C:\\out.json'])(
  'leaves out %s, a path that leads elsewhere',
  async (path) => {
    await using hub = await startFakeHub({ ...FILES, [path]: '{}' })
    expect(await readdir(await pull(hub))).toEqual(['config.json', 'model.safetensors'])
  },
)
