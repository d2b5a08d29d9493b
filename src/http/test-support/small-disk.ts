import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file system of four megabytes, which can be full. */
export interface SmallDisk {
  readonly folder: string
  fill(): Promise<void>
  free(): Promise<void>
  remove(): Promise<void>
}

const mount = (folder: string) => spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'none', folder]).status === 0

/** Whether this user may mount one: root may, outside of most containers. */
export function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  const folder = mkdtempSync(join(tmpdir(), 'tessera-disk-'))
  const mounted = mount(folder)
  if (mounted) spawnSync('umount', [folder])
  rmSync(folder, { recursive: true })
  return mounted
}

export async function mountSmallDisk(): Promise<SmallDisk> {
  const folder = await mkdtemp(join(tmpdir(), 'tessera-disk-'))
  if (!mount(folder)) throw new Error(`nothing can be mounted on ${folder}`)
  const filler = join(folder, 'filler')
  return {
    folder,
    async fill() {
      const file = await open(filler, 'a')
      try {
        for (const size of [65_536, 4096]) {
          while ((await file.write(Buffer.alloc(size)).catch(isFull)) !== undefined);
        }
      } finally {
        await file.close()
      }
    },
    free: () => rm(filler),
    async remove() {
      // Where a test failed, something may still be open on it.
      spawnSync('umount', ['--lazy', folder])
      await rm(folder, { recursive: true })
    },
  }
}

function isFull(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOSPC') throw error
}
