import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { measureAvailableMemory } from './available-memory.ts'

let root: string
beforeEach(() => void (root = temporaryFolder()))

async function measure(files: Record<string, string>) {
  const machine = { 'proc/meminfo': 'MemTotal: 9000 kB\nMemAvailable:    8000 kB\nSwapFree:  1000 kB\n' }
  for (const [path, text] of Object.entries({ ...machine, ...files })) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  return measureAvailableMemory('linux', root)
}

it('is what the machine has left, with its swap', async () => {
  expect(await measure({})).toEqual({ bytes: 9000 * 1024, limit: 'the machine' })
})

it('is what a control group of version 2 leaves, its cached files not counted', async () => {
  const files = {
    'proc/self/cgroup': '0::/app/inner\n',
    'sys/fs/cgroup/app/inner/memory.max': 'max\n',
    'sys/fs/cgroup/app/inner/memory.current': '3000000\n',
    'sys/fs/cgroup/app/memory.max': '4000000\n',
    'sys/fs/cgroup/app/memory.current': '3500000\n',
    'sys/fs/cgroup/app/memory.stat': 'anon 1\ninactive_file 200000\nactive_file 50000\n',
  }
  expect(await measure(files)).toEqual({ bytes: 750_000, limit: 'the container' })
})

it('is what a control group of version 1 leaves, at the mount where its own path is not there', async () => {
  const files = {
    'proc/self/cgroup': '8:pids:/x\n4:cpu,memory:/docker/abc\n0::/\n',
    'sys/fs/cgroup/memory/memory.limit_in_bytes': '2000000\n',
    'sys/fs/cgroup/memory/memory.usage_in_bytes': '1500000\n',
    'sys/fs/cgroup/memory/memory.stat': 'inactive_file 7\ntotal_inactive_file 100000\ntotal_active_file 0\n',
  }
  expect(await measure(files)).toEqual({ bytes: 600_000, limit: 'the container' })
})

it('is the machine where the limit of a group is larger', async () => {
  const files = {
    'proc/self/cgroup': '4:memory:/\n',
    'sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n',
    'sys/fs/cgroup/memory/memory.usage_in_bytes': '1500000\n',
  }
  expect(await measure(files)).toMatchObject({ limit: 'the machine' })
})
