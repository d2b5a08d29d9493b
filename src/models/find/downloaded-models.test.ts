import type * as FileSystem from 'node:fs/promises'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { beforeEach, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { listUnpacked, removeUnpacked } from '../quantize/unpacked-models.ts'
import { listDownloaded, removeDownloaded } from './downloaded-models.ts'

/** What is called so is gone as soon as somebody looks for it, as where another process renames or removes it. */
const GOING = /^going/

vi.mock('node:fs/promises', async (load) => {
  const real = await load<typeof FileSystem>()
  const go = async (path: unknown) => {
    if (typeof path === 'string' && GOING.test(basename(path))) await real.rm(path, { recursive: true, force: true })
  }
  return {
    ...real,
    stat: async (path: string) => {
      await go(path)
      return real.stat(path)
    },
    readdir: async (path: string, options: object) => {
      await go(path)
      return real.readdir(path, options as never)
    },
  }
})

let work: string
beforeEach(() => void (work = temporaryFolder()))

/** A folder with 3 bytes that stay, a file and a folder that go. */
async function fill(folder: string): Promise<void> {
  await mkdir(join(folder, 'going-folder'), { recursive: true })
  await writeFile(join(folder, 'going-folder', 'file'), 'x')
  await writeFile(join(folder, 'going.incomplete'), 'x')
  await writeFile(join(folder, 'stays'), 'abc')
}

it('downloaded models are listed and removed while files of theirs go', async () => {
  const env = { HF_HUB_CACHE: work, TESSERA_CACHE: join(work, 'cache') }
  await fill(join(work, 'models--owner--name', 'blobs'))
  expect(await listDownloaded(env)).toEqual([{ id: 'owner/name', bytes: 3 }])
  await fill(join(work, 'models--owner--name', 'blobs'))
  const removed = await removeDownloaded('owner/name', env, { signal: undefined, onWait: () => {} })
  expect(removed).toEqual({ id: 'owner/name', bytes: 3 })
})

it('unpacked models are listed and removed while files of theirs go', async () => {
  const env = { TESSERA_CACHE: work }
  const [folder, path] = [join(work, 'unpacked', 'tiny-1'), join(work, 'tiny.gguf')]
  await fill(join(folder, 'state'))
  await writeFile(join(folder, 'source.txt'), path)
  const bytes = 3 + path.length
  expect(await listUnpacked(env)).toEqual([{ path, folder, bytes }])
  await fill(join(folder, 'state'))
  expect(await removeUnpacked(path, env)).toEqual([{ path, folder, bytes }])
})
