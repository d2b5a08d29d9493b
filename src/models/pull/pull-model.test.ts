import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  AbortedError, DownloadFailedError, InvalidRequestError, ModelFormatError, ModelNotFoundError,
} from '../../errors/index.ts'
import { resolveModel } from '../resolve-model.ts'
import { pullModel } from './pull-model.ts'
import { COMMIT, type FakeHub, startFakeHub } from './test-support/fake-hub.ts'

const WEIGHTS = 'weights of the model, '.repeat(4000)
const FILES = { 'config.json': '{"some":"config"}', 'model.safetensors': WEIGHTS, 'README.md': 'left out' }

let home: string
beforeEach(async () => void (home = await mkdtemp(join(tmpdir(), 'pull-'))))
afterEach(() => rm(home, { recursive: true }))

const pull = (hub: FakeHub, more: object = {}) =>
  pullModel({ id: 'owner/model', env: { HF_HOME: home, HF_ENDPOINT: hub.url }, ...more })

it('downloads what is needed to where the model is then found by name', async () => {
  await using hub = await startFakeHub(FILES)
  const progress: number[] = []
  const folder = await pull(hub, { onProgress: ({ done, total }: { done: number; total: number }) => progress.push(done / total) })
  expect(await readdir(folder)).toEqual(['config.json', 'model.safetensors'])
  expect(await readFile(join(folder, 'model.safetensors'), 'utf8') === WEIGHTS).toBe(true)
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

it('continues a file where the connection broke', async () => {
  await using hub = await startFakeHub(FILES)
  hub.cut('model.safetensors', 5000)
  await expect(pull(hub)).rejects.toThrow(DownloadFailedError)
  await expect(resolveModel('owner/model', { HF_HOME: home })).rejects.toThrow(ModelNotFoundError)
  const folder = await pull(hub)
  expect(hub.downloads.at(-1)).toBe('model.safetensors 5000')
  expect(await readFile(join(folder, 'model.safetensors'), 'utf8') === WEIGHTS).toBe(true)
})

it('refuses content that is not what the repository lists, and keeps none of it', async () => {
  for (const path of ['config.json', 'model.safetensors']) {
    await using hub = await startFakeHub(FILES)
    hub.corrupt(path)
    await expect(pull(hub)).rejects.toThrow(`the content of ${path} does not have the hash`)
  }
  const blobs = await readdir(join(home, 'hub', 'models--owner--model', 'blobs'))
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
})

it('refuses what it cannot use with the reason', async () => {
  await using hub = await startFakeHub({ 'config.json': '{}', 'model.gguf': 'x' })
  await expect(pull(hub)).rejects.toThrow(ModelFormatError)
  await expect(pull(hub, { id: 'owner/other' })).rejects.toThrow(ModelNotFoundError)
  await expect(pull(hub, { id: '../../etc' })).rejects.toThrow(InvalidRequestError)
  const offline = { HF_HOME: home, HF_ENDPOINT: hub.url, HF_HUB_OFFLINE: '1' }
  await expect(pull(hub, { env: offline })).rejects.toThrow('HF_HUB_OFFLINE')
  expect(hub.downloads).toEqual([])
})
