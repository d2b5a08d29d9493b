import type fs from 'node:fs/promises'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { fixtureFolder } from '../../../test/helpers/language-model-fixture.ts'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { pullQuantized, type PullQuantizedOptions } from './pull-quantized.ts'
import { readFiles } from './test-support/copies.ts'
import { startFakeHub } from './test-support/fake-hub.ts'

const fault = vi.hoisted(() => ({ code: undefined as string | undefined }))

vi.mock('node:fs/promises', async (original) => {
  const files = await original<typeof fs>()
  const readFile = async (...given: Parameters<typeof files.readFile>) => {
    const { code } = fault
    if (code === undefined || !String(given[0]).endsWith(join('source', 'config.json'))) return files.readFile(...given)
    throw Object.assign(new Error(`${code}: open`), { code, syscall: 'open' })
  }
  return { ...files, readFile }
})

let work: string
beforeEach(() => void (work = temporaryFolder()))
afterEach(async () => {
  fault.code = undefined
})

it.each([
  ['EMFILE', 'overloaded'],
  ['EIO', 'model_format'],
])('keeps what is finished where a text cannot be read now (%s)', async (code, expected) => {
  const files = await readFiles(fixtureFolder('qwen3-gqa4-sharded'))
  await using hub = await startFakeHub(files)
  const env = { HF_ENDPOINT: hub.url }
  const pull = (more: Partial<PullQuantizedOptions> = {}) =>
    pullQuantized({ id: 'owner/model', out: join(work, 'int8'), bits: 8, blockSize: 32, env, ...more })
  const controller = new AbortController()
  let seen = 0
  const stopped = pull({ signal: controller.signal, onQuantize: () => ++seen === 2 && controller.abort() })
  await expect(stopped).rejects.toMatchObject({ code: 'aborted' })
  const [finished] = (await readdir(join(work, 'int8.partial', 'made'))).filter((name) => name.endsWith('.safetensors'))
  fault.code = code
  await expect(pull()).rejects.toMatchObject({ code: expected })
  fault.code = undefined
  const before = hub.downloads.length
  expect(basename(await pull())).toBe('int8')
  expect(finished).toBeDefined()
  expect(hub.downloads.slice(before)).not.toContainEqual(expect.stringContaining(finished!))
  expect(await readFile(join(work, 'int8', 'config.json'), 'utf8')).toContain('"bits": 8')
})
