import { availableParallelism } from 'node:os'
import { join } from 'node:path/posix'
import { type ControlGroup, listControlGroups, readGroupFile } from './control-groups.ts'

/**
 * Processors that this process may use all the time: those that the system schedules it on, or as many as the quotas of its
 * control groups are worth, as of `docker run --cpus` or a limit in Kubernetes. Node counts the latter by itself from libuv 1.49
 * on only, which Node 20 does not have. Half a processor too many would be half of the time spent waiting for the next period, so parts are left.
 *
 * @param root of the file system, for tests
 */
export function countUsableProcessors(processors = availableParallelism(), root = '/'): number {
  // `max`, -1 or a file that is not there is no quota.
  const quotas = listControlGroups('cpu', root)
    .map(readQuota)
    .filter((quota) => quota > 0)
  return Math.max(1, Math.min(processors, ...quotas.map(Math.floor)))
}

/** What a control group allows, in processors. */
function readQuota({ version, folder }: ControlGroup): number {
  const read = (name: string) => readGroupFile(join(folder, name))
  const [quota, period] =
    version === 2 ? read('cpu.max').split(' ') : [read('cpu.cfs_quota_us'), read('cpu.cfs_period_us')]
  return Number(quota) / Number(period)
}
