import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'

/** Namespaces of their own for what runs together: no network but loopback, and mounts that nobody else sees. */
export interface Pod {
  /** Starts a program in a root file system, as this user and group. */
  start(root: string, argv: readonly string[], how: Manner): ChildProcess
  /** Runs one to its end; rejects unless it succeeds. */
  run(root: string, argv: readonly string[], how: Manner): Promise<string>
  /** Runs a command of the shell outside of any root, such as `mount`. */
  prepare(command: string): Promise<void>
  close(): Promise<void>
}

interface Manner {
  /** Such as `1000`; of the group as well. */
  readonly user: string
  readonly workdir: string
  readonly env: Readonly<Record<string, string>>
}

export async function openPod(): Promise<Pod> {
  const holder = spawn('unshare', [
    '--mount',
    '--net',
    'sh',
    '-c',
    'ip link set lo up && echo up && exec sleep infinity',
  ])
  await once(holder.stdout, 'data')
  const enter = ['--target', String(holder.pid), '--mount', '--net', '--']
  const words = (root: string, argv: readonly string[], { user, workdir, env }: Manner) => {
    const variables = Object.entries({ PATH: '/usr/local/bin:/usr/bin:/bin', ...env }).map((pair) => pair.join('='))
    const shell = ['sh', '-c', `cd ${workdir} && exec "$@"`, 'sh', ...argv]
    return [...enter, 'chroot', `--userspec=${user}:${user}`, root, 'env', '-i', ...variables, ...shell]
  }
  return {
    start: (root, argv, how) => spawn('nsenter', words(root, argv, how), { stdio: ['ignore', 'pipe', 'pipe'] }),
    run: async (root, argv, how) => (await promisify(execFile)('nsenter', words(root, argv, how))).stdout,
    prepare: async (command) => {
      await promisify(execFile)('nsenter', [...enter, 'sh', '-ec', command])
    },
    async close() {
      const ended = once(holder, 'exit')
      holder.kill('SIGKILL')
      await ended
    },
  }
}
