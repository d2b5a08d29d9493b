import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { CleanRoots } from './clean-root.ts'
import { runInside } from './clean-root.ts'

const run = promisify(execFile)

/** A machine that systemd has started, which has the unit of `deploy/`, enabled. */
export interface Machine {
  /** Runs a program beside its services; rejects unless it succeeds. */
  run(...argv: readonly string[]): Promise<string>
  powerOff(): Promise<void>
}

/** Installs what the unit's head says, and boots. The package is the one that the Dockerfile's first stage packed. */
export async function bootMachine({ folder, base }: CleanRoots, keys: object): Promise<Machine> {
  const root = join(folder, 'machine')
  await run('cp', ['-a', base, root])
  const inside = { root, workdir: '/', env: {} }
  await runInside(inside, 'apt-get update -q && apt-get install -qy --no-install-recommends systemd dbus')
  const packed = (await readdir(join(folder, 'build/tmp'))).find((name) => name.endsWith('.tgz'))!
  await cp(join(folder, 'build/tmp', packed), join(root, 'root', packed))
  const unit = new URL('../../deploy/tessera.service', import.meta.url)
  const [, install] = /after: (npm install --global .*)$/m.exec(await readFile(unit, 'utf8'))!
  await runInside(inside, install!.replace('tessera-onnx', `/root/${packed}`))
  await cp(unit, join(root, 'etc/systemd/system/tessera.service'))
  await mkdir(join(root, 'etc/tessera'), { mode: 0o700 })
  await writeFile(join(root, 'etc/tessera/keys.json'), JSON.stringify(keys), { mode: 0o600 })
  await runInside(inside, 'systemctl enable tessera')
  const args = ['--directory', root, '--boot', '--register=no', '--keep-unit', '--private-network', '--quiet']
  return enter(spawn('systemd-nspawn', args, { stdio: 'ignore' }))
}

async function enter(container: ChildProcess): Promise<Machine> {
  const leader = await findLeader(container)
  const inside = async (...argv: readonly string[]) =>
    (await run('nsenter', ['--target', leader, '--mount', '--uts', '--ipc', '--net', '--pid', '--', ...argv])).stdout
  return {
    run: inside,
    async powerOff() {
      const ended = once(container, 'exit')
      await inside('systemctl', 'poweroff')
      await ended
    },
  }
}

/** The process that is number 1 inside. */
async function findLeader({ pid }: ChildProcess): Promise<string> {
  for (;;) {
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
    for (const child of children.split(' ').filter((entry) => entry !== '')) {
      // One that helped to prepare may be gone again.
      const name = await readFile(`/proc/${child}/comm`, 'utf8').catch(() => '')
      if (name === 'systemd\n') return child
    }
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
