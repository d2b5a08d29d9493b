import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface Service {
  readonly url: string
  readonly pid: number
  /** Ends it as an operator would. */
  stop(): Promise<void>
}

/** How the processors are shared out. */
export interface Split {
  /** `auto`, which is the default: one with all threads, and as many of a single one for calls that come together. */
  readonly workers: number | 'auto'
  /** Of each worker, or of all together. */
  readonly threads: number
}

/** `tessera serve` of the build in a process of its own, with these keys and its usage in memory. */
export async function startService(keys: readonly string[], { workers, threads }: Split): Promise<Service> {
  const folder = await mkdtemp(join(tmpdir(), 'tessera-service-'))
  const file = join(folder, 'keys.json')
  await writeFile(file, JSON.stringify({ keys: keys.map((key) => ({ key, id: key, scopes: ['decide', 'metrics'] })) }))
  const split = ['--workers', String(workers), '--threads', String(threads)]
  const args = ['dist/cli.js', 'serve', '--port', '0', '--keys-file', file, ...split]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const [line] = (await Promise.race([once(createInterface(child.stdout), 'line'), ended])) as [unknown]
  const url = /^listening on (\S+)$/.exec(String(line))?.[1]
  if (url === undefined) throw new Error(`expected "listening on <url>" of tessera serve, got ${String(line)}`)
  return {
    url,
    pid: child.pid!,
    async stop() {
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true })
    },
  }
}
