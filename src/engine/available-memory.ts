import { readFile } from 'node:fs/promises'
import { freemem, totalmem } from 'node:os'
import { dirname, join } from 'node:path/posix'

/** How much memory can still be had, in bytes, and what says so. */
export interface AvailableMemory {
  readonly bytes: number
  readonly limit: 'the machine' | 'the container'
}

/**
 * Memory that this process can still take: of the machine, and of every control group that it is in (containers, versions 1
 * and 2). Cached files count as free, as the system drops them, and so does swap. macOS does not say what is free, so there it
 * is all of the machine's.
 *
 * @param root of the file system, for tests
 */
export async function measureAvailableMemory(
  platform: NodeJS.Platform = process.platform,
  root = '/',
): Promise<AvailableMemory> {
  if (platform === 'darwin') return { bytes: totalmem(), limit: 'the machine' }
  if (platform !== 'linux') return { bytes: freemem(), limit: 'the machine' }
  const machine = await measureMachine(root)
  const groups = await measureGroups(root)
  const container = Math.min(...groups)
  return container < machine ? { bytes: container, limit: 'the container' } : { bytes: machine, limit: 'the machine' }
}

async function measureMachine(root: string): Promise<number> {
  const text = await readText(join(root, 'proc/meminfo'))
  const read = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? Number.NaN) * 1024
  const [available, swap] = [read('MemAvailable'), read('SwapFree')]
  return Number.isNaN(available) ? freemem() : available + (Number.isNaN(swap) ? 0 : swap)
}

/** What each control group with a limit leaves. */
async function measureGroups(root: string): Promise<number[]> {
  const lines = (await readText(join(root, 'proc/self/cgroup'))).split('\n')
  const left: number[] = []
  for (const line of lines) {
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? []
    if (path === undefined) continue
    if (controllers === '') left.push(...(await measureEach(join(root, 'sys/fs/cgroup'), path, VERSION_2)))
    else if (controllers?.split(',').includes('memory'))
      left.push(...(await measureEach(join(root, 'sys/fs/cgroup/memory'), path, VERSION_1)))
  }
  return left
}

/** Names of a group's files, and of the fields of `memory.stat` that are cached files. */
interface Version {
  readonly limit: string
  readonly usage: string
  readonly cached: readonly string[]
}

const VERSION_1: Version = {
  limit: 'memory.limit_in_bytes',
  usage: 'memory.usage_in_bytes',
  cached: ['total_inactive_file', 'total_active_file'],
}
const VERSION_2: Version = { limit: 'memory.max', usage: 'memory.current', cached: ['inactive_file', 'active_file'] }

/** A group and those above it. Inside a container the own path may not be there; then the mount itself is its group. */
async function measureEach(mount: string, path: string, version: Version): Promise<number[]> {
  const left: number[] = []
  for (let group = path; ; group = dirname(group)) {
    const bytes = await measureGroup(join(mount, group), version)
    if (bytes !== undefined) left.push(bytes)
    if (group === '/') return left
  }
}

async function measureGroup(folder: string, { limit, usage, cached }: Version): Promise<number | undefined> {
  const most = Number((await readText(join(folder, limit))) || Number.NaN)
  const used = Number((await readText(join(folder, usage))) || Number.NaN)
  // `max`, or a file that is not there, is no limit.
  if (Number.isNaN(most) || Number.isNaN(used)) return undefined
  const stat = await readText(join(folder, 'memory.stat'))
  const files = cached.map((field) => Number(new RegExp(`^${field} (\\d+)$`, 'm').exec(stat)?.[1] ?? 0))
  return most - used + files.reduce((sum, bytes) => sum + bytes, 0)
}

async function readText(path: string): Promise<string> {
  return (await readFile(path, 'utf8').catch(() => '')).trim()
}
