import { join } from 'node:path/posix'
import { readGroupFile } from '../../backends/control-groups.ts'

/**
 * Memory that this process has taken from the system and not given back, in bytes, with what lies in swap and without pages of
 * files. Only Linux says so; elsewhere it is all that the process has in memory.
 *
 * @param root of the file system, for tests
 */
export function measureHeldMemory(root = '/'): number {
  const status = readGroupFile(join(root, 'proc/self/status'))
  const read = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? Number.NaN) * 1024
  const [resident, swapped] = [read('RssAnon'), read('VmSwap')]
  if (Number.isNaN(resident)) return process.memoryUsage.rss()
  return resident + (Number.isNaN(swapped) ? 0 : swapped)
}
