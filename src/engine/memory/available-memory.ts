import { freemem, totalmem } from 'node:os'
import { join } from 'node:path/posix'
import { type ControlGroup, listControlGroups, readGroupFile } from '../../backends/control-groups.ts'

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
  const machine = measureMachine(root)
  const container = Math.min(...listControlGroups('memory', root).map(measureGroup))
  return container < machine ? { bytes: container, limit: 'the container' } : { bytes: machine, limit: 'the machine' }
}

function measureMachine(root: string): number {
  const text = readGroupFile(join(root, 'proc/meminfo'))
  const read = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? Number.NaN) * 1024
  const [available, swap] = [read('MemAvailable'), read('SwapFree')]
  return Number.isNaN(available) ? freemem() : available + (Number.isNaN(swap) ? 0 : swap)
}

/** Names of a group's files, and of the fields of `memory.stat` that are cached files, by version. */
const NAMES = {
  1: {
    limit: 'memory.limit_in_bytes',
    usage: 'memory.usage_in_bytes',
    cached: ['total_inactive_file', 'total_active_file'],
  },
  2: { limit: 'memory.max', usage: 'memory.current', cached: ['inactive_file', 'active_file'] },
} as const

/** What a control group leaves. */
function measureGroup({ version, folder }: ControlGroup): number {
  const { limit, usage, cached } = NAMES[version]
  const read = (name: string) => readGroupFile(join(folder, name))
  const [most, used] = [Number(read(limit) || Number.NaN), Number(read(usage) || Number.NaN)]
  // `max`, or a file that is not there, is no limit.
  if (Number.isNaN(most) || Number.isNaN(used)) return Number.POSITIVE_INFINITY
  const stat = read('memory.stat')
  const files = cached.map((field) => Number(new RegExp(`^${field} (\\d+)$`, 'm').exec(stat)?.[1] ?? 0))
  return most - used + files.reduce((sum, bytes) => sum + bytes, 0)
}
