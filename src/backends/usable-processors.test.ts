import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/helpers/temporary-folder.ts'
import { countUsableProcessors } from './usable-processors.ts'

let root: string
beforeEach(() => void (root = temporaryFolder()))

async function count(files: Record<string, string>) {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  return countUsableProcessors(8, root)
}

it('are those of the machine where nothing limits them', async () => {
  expect(await count({})).toBe(8)
  expect(await count({ 'proc/self/cgroup': '0::/\n', 'sys/fs/cgroup/cpu.max': 'max 100000\n' })).toBe(8)
})

it('are those of the smallest quota of version 2, whole ones, and at least one', async () => {
  const files = {
    'proc/self/cgroup': '0::/app/inner\n',
    'sys/fs/cgroup/app/inner/cpu.max': '600000 100000\n',
    'sys/fs/cgroup/app/cpu.max': '350000 100000\n',
  }
  expect(await count(files)).toBe(3)
  expect(await count({ 'sys/fs/cgroup/app/cpu.max': '50000 100000\n' })).toBe(1)
})

it('are those of a quota of version 1, at the mount where its own path is not there', async () => {
  const files = {
    'proc/self/cgroup': '8:pids:/x\n4:cpu,cpuacct:/docker/abc\n0::/\n',
    'sys/fs/cgroup/cpu/cpu.cfs_quota_us': '200000\n',
    'sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
  }
  expect(await count(files)).toBe(2)
  expect(await count({ 'sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1\n' })).toBe(8)
})
