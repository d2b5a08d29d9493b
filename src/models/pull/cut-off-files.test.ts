import { lstat, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { pullModel } from './pull-model.ts'
import { type FakeHub, startFakeHub } from './test-support/fake-hub.ts'

/*
 * What was whole once, and is no longer: a disk that was full, or a machine that stopped, cuts files off.
 */

const WEIGHTS = 'weights '.repeat(2000)
const FILES = { 'config.json': '{"model_type":"qwen3"}', 'model.safetensors': WEIGHTS }

let home: string
beforeEach(() => void (home = temporaryFolder()))

const pull = (hub: FakeHub) => pullModel({ id: 'owner/model', env: { HF_HOME: home, HF_ENDPOINT: hub.url } })

it.each([
  ['goes on with what is left', Buffer.from(WEIGHTS.slice(0, 5000)), ['model.safetensors 5000']],
  ['begins anew where nothing is', Buffer.alloc(0), ['model.safetensors -']],
  ['begins anew where that was no beginning', Buffer.alloc(5000), ['model.safetensors 5000', 'model.safetensors -']],
])('%s', async (_, left, downloads) => {
  await using hub = await startFakeHub(FILES)
  const path = join(await pull(hub), 'model.safetensors')
  await writeFile(path, left)
  const before = hub.downloads.length
  await pull(hub)
  expect(hub.downloads.slice(before)).toEqual(downloads)
  expect((await readFile(path, 'utf8')) === WEIGHTS).toBe(true)
  expect(await readdir(join(home, 'hub/models--owner--model/blobs'))).toHaveLength(2)
})

it('a file in place of a link is mended too, and one that is whole is left', async () => {
  await using hub = await startFakeHub(FILES)
  const folder = await pull(hub)
  for (const name of await readdir(folder)) {
    const text = await readFile(join(folder, name))
    await rm(join(folder, name))
    await writeFile(join(folder, name), text)
  }
  await rm(join(home, 'hub/models--owner--model/blobs'), { recursive: true })
  await writeFile(join(folder, 'config.json'), '{')
  const before = hub.downloads.length
  await pull(hub)
  expect(hub.downloads.slice(before)).toEqual(['config.json -'])
  expect(await readFile(join(folder, 'config.json'), 'utf8')).toBe(FILES['config.json'])
  expect((await lstat(join(folder, 'model.safetensors'))).isFile()).toBe(true)
})
