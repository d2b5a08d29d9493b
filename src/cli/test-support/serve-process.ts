import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { writeTinyBundle } from '../../../test/helpers/tiny-bundle.ts'
import { bundleWorker } from '../../engine/test-support/bundle-worker.ts'

/** `tessera serve` from source over a small random model, with a home of its own. */
export interface ServeProcesses {
  readonly home: string
  /** @param env What there is beside the environment of the tests, from which its keys are left out. */
  start(args: readonly string[], env?: Readonly<Record<string, string>>, stdio?: StdioOptions): ChildProcess
  remove(): Promise<void>
}

export async function prepareServe(): Promise<ServeProcesses> {
  const cli = fileURLToPath(await bundleWorker('src/cli/main.ts', 'cli-serve'))
  const model = await writeTinyBundle()
  const home = await mkdtemp(join(tmpdir(), 'tessera-home-'))
  const { TESSERA_API_KEYS: _, ...inherited } = process.env
  return {
    home,
    start(args, env = {}, stdio = ['ignore', 'pipe', 'pipe']) {
      const use = args.includes('--use') ? [] : ['--use', model]
      return spawn(process.execPath, [cli, 'serve', ...use, '--backend', 'cpu', ...args], {
        env: { ...inherited, XDG_CONFIG_HOME: home, XDG_STATE_HOME: home, NO_COLOR: '1', ...env },
        stdio,
      })
    },
    remove: async () => {
      for (const folder of [model, home]) await rm(folder, { recursive: true })
    },
  }
}

/** What it prints until it listens. */
export async function started(child: ChildProcess): Promise<{ url: string; key: string | undefined }> {
  let key: string | undefined
  for await (const line of createInterface({ input: child.stdout! })) {
    if (line.startsWith('key ')) key = line.slice(4)
    if (line.startsWith('listening on ')) return { url: line.slice('listening on '.length), key }
  }
  throw new Error('it ended before it listened')
}

export async function ended(child: ChildProcess): Promise<{ code: number | null; errors: string }> {
  let errors = ''
  child.stderr!.on('data', (chunk) => {
    errors += chunk
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, errors }
}
