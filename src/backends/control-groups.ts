import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'

/** A folder of files about a control group of this process. */
export interface ControlGroup {
  readonly version: 1 | 2
  readonly folder: string
}

/**
 * The control groups that limit this process (containers, versions 1 and 2), and those above them. Inside a container the
 * own path may not be there; then the mount itself is its group.
 *
 * @param root of the file system, for tests
 */
export function listControlGroups(controller: 'cpu' | 'memory', root: string): ControlGroup[] {
  return readGroupFile(join(root, 'proc/self/cgroup'))
    .split('\n')
    .flatMap((line): ControlGroup[] => {
      const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? []
      if (controllers === undefined || path === undefined) return []
      const mount = join(root, 'sys/fs/cgroup')
      if (controllers === '') return upwards(path).map((group) => ({ version: 2, folder: join(mount, group) }))
      if (!controllers.split(',').includes(controller)) return []
      return upwards(path).map((group) => ({ version: 1, folder: join(mount, controller, group) }))
    })
}

/** The text of a file that the kernel makes; empty where it is not there. */
export function readGroupFile(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return ''
  }
}

function upwards(path: string): string[] {
  return path === '/' ? [path] : [path, ...upwards(dirname(path))]
}
