import { type ChildProcess, spawnSync } from 'node:child_process'

/** Kills a process that was started `detached`, with those below it, at once. */
export function killGroup({ pid }: ChildProcess): void {
  if (process.platform === 'win32') spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'])
  else process.kill(-pid!, 'SIGKILL')
}
