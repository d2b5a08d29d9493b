import type * as Fs from 'node:fs/promises'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { openFolder } from './model-folder.ts'

const closed = vi.hoisted(() => vi.fn<() => void>())

/** Handles as Yarn's Plug'n'Play puts them in place of Node's. */
vi.mock('node:fs/promises', async (original) => {
  const fs = await original<typeof Fs>()
  const open = async (path: string) => {
    const handle = await fs.open(path)
    return {
      read: handle.read.bind(handle),
      close: async () => {
        await handle.close()
        closed()
      },
    }
  }
  return { ...fs, open }
})

it('reads and closes files whose handles cannot be disposed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tessera-'))
  await writeFile(join(folder, 'model.safetensors'), 'abcdef')
  const weights = await openFolder(folder).findWeights('model.safetensors')
  expect(Buffer.from(await weights!.read(2, 3)).toString()).toBe('cde')
  expect(closed).toHaveBeenCalledOnce()
  await rm(folder, { recursive: true })
})
