import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path/posix'

/**
 * Processors that this process may use all the time: those that the system schedules it on, or as many as the quotas of its
 * control groups (versions 1 and 2) are worth, as of `docker run --cpus` or a limit in Kubernetes. Node counts the latter by itself from libuv 1.49
 * on only, which Node 20 does not have. Half a processor too many would be half of the time spent waiting for the next period, so parts are left.
 *
 * @param root of the file system, for tests
 */
export function countUsableProcessors(processors = availableParallelism(), root = '/'): number {
  return Math.max(1, Math.min(processors, ...readQuotas(root).map(Math.floor)))
}

/** What each control group with a quota allows, in processors. */
function readQuotas(root: string): number[] {
  const lines = readText(join(root, 'proc/self/cgroup')).split('\n')
  return lines.flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? []
    if (path === undefined) return []
    if (controllers === '') return readEach(join(root, 'sys/fs/cgroup'), path, readVersion2)
    if (controllers?.split(',').includes('cpu')) return readEach(join(root, 'sys/fs/cgroup/cpu'), path, readVersion1)
    return []
  })
}

/** A group and those above it. Inside a container the own path may not be there; then the mount itself is its group. */
function readEach(mount: string, path: string, read: (folder: string) => number): number[] {
  const found: number[] = []
  for (let group = path; ; group = dirname(group)) {
    const quota = read(join(mount, group))
    // `max`, -1 or a file that is not there is no quota.
    if (quota > 0) found.push(quota)
    if (group === '/') return found
  }
}

function readVersion2(folder: string): number {
  const [quota, period] = readText(join(folder, 'cpu.max')).split(' ')
  return Number(quota) / Number(period)
}

function readVersion1(folder: string): number {
  return Number(readText(join(folder, 'cpu.cfs_quota_us'))) / Number(readText(join(folder, 'cpu.cfs_period_us')))
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return ''
  }
}
