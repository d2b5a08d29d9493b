import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectRedis } from '../../src/redis/connect-redis.ts'
import { freePort } from './free-port.ts'

/** Another server that speaks the protocol, such as Valkey, by the path of its program. */
const PROGRAM = process.env['TESSERA_TEST_REDIS'] ?? 'redis-server'

/**
 * Whether a Redis server can be started here (Debian: `apt-get install redis-server`).
 *
 * @throws Error where a program was named and cannot be: tests that were asked for are not skipped
 */
export function hasRedis(): boolean {
  const { status, error } = spawnSync(PROGRAM, ['--version'])
  if (status !== 0 && PROGRAM !== 'redis-server') {
    throw new Error(`TESSERA_TEST_REDIS: ${PROGRAM} could not be started`, { cause: error })
  }
  return status === 0
}

export interface TestRedis {
  readonly url: string
  readonly port: number
  readonly pid: number
  /** Where it keeps its files. */
  readonly folder: string
  /** Ends it as a crash would. */
  kill(): Promise<void>
  /** Starts it again on the same port, with what it has written. */
  restart(settings?: readonly string[]): Promise<void>
  /** It keeps its connections and answers nothing. */
  freeze(): void
  thaw(): void
  /** Has it forget everything. */
  flush(): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts a Redis server of its own on a free port, with the settings that balances need.
 *
 * @param files Folder with the files it begins with; else it is empty.
 */
export async function startRedis(
  settings: readonly string[] = ['--appendonly', 'yes'],
  files?: string,
): Promise<TestRedis> {
  const port = await freePort()
  const folder = await mkdtemp(join(tmpdir(), 'tessera-redis-'))
  if (files !== undefined) await cp(files, folder, { recursive: true })
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder]
  let child = await start([...args, ...settings])
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    get pid() {
      return child.pid!
    },
    folder,
    kill,
    async restart(changed = settings) {
      await kill()
      child = await start([...args, ...changed])
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    async flush() {
      const client = await connectRedis(`redis://127.0.0.1:${port}`)
      await client.flushAll()
      client.destroy()
    },
    async stop() {
      await kill()
      await rm(folder, { recursive: true })
    },
  }
}

async function start(args: readonly string[]): Promise<ChildProcess> {
  const child = spawn(PROGRAM, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let printed = ''
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`${PROGRAM} ended: ${printed}`)))
    child.stdout.on('data', (chunk) => {
      printed += String(chunk)
      if (printed.includes('Ready to accept connections')) resolve()
    })
  })
  return child
}
