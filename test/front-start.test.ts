import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'
import { hasRedis, startRedis } from './helpers/redis-server.ts'
import { temporaryFolder } from './helpers/temporary-folder.ts'

const ROOT = join(import.meta.dirname, '..')
const PREFIX = 'front-start'

/** Writes the URL of every module that is imported, and at the end the path of each that was required, to `$LOADED`. */
const RECORDER = `data:text/javascript,${encodeURIComponent(`
import { appendFileSync } from 'node:fs'
import Module, { register } from 'node:module'
process.once('exit', () => appendFileSync(process.env.LOADED, Object.keys(Module._cache).join('\\n') + '\\n'))
register('data:text/javascript,' + encodeURIComponent(\`
import { appendFileSync } from 'node:fs'
export async function load(url, context, next) {
  appendFileSync(process.env.LOADED, url + '\\\\n')
  return next(url, context)
}\`))`)}`

/** Packages that models are computed, drawn and fetched with. */
const OF_MODELS = /^(onnxruntime-|sharp$|@img\/|@huggingface\/)/

let cli: string
const folder = temporaryFolder()
beforeAll(async () => {
  const out = join(ROOT, 'out')
  await mkdir(out, { recursive: true })
  for (const name of await readdir(out)) if (name.startsWith(PREFIX)) await rm(join(out, name))
  // In parts, as in the package; right below the root, where the version is looked for.
  await build({
    entryPoints: { [PREFIX]: join(ROOT, 'src/cli/main.ts') },
    outdir: out,
    chunkNames: `${PREFIX}-[hash]`,
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    logLevel: 'silent',
  })
  cli = join(out, `${PREFIX}.js`)
})

function start(name: string, ...args: string[]) {
  const file = join(folder, name)
  const env = { ...process.env, LOADED: file, NO_COLOR: '1', TESSERA_API_KEYS: 'a' }
  /** Packages of which anything was loaded. */
  const packages = () => {
    const paths = readFileSync(file, 'utf8').split('\n')
    const names = paths.flatMap((path) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [])
    return [...new Set(names)].toSorted()
  }
  return { command: ['--import', RECORDER, cli, ...args], env, packages }
}

describe('what the command line loads', () => {
  it('is the parser and colours where it tells of its commands', () => {
    const { command, env, packages } = start('help', '--help')
    const { stdout, status } = spawnSync(process.execPath, command, { env, encoding: 'utf8' })
    expect([status, stdout]).toEqual([0, expect.stringContaining('COMMANDS')])
    expect(packages()).toEqual(['citty', 'fastest-levenshtein', 'picocolors'])
  }, 30_000)

  it('is nothing that models need where it is a front of workers', { skip: !hasRedis(), timeout: 60_000 }, async () => {
    const redis = await startRedis()
    const args = ['serve', '--port', '0', '--queue', redis.url, '--store', redis.url, '--accept-loss']
    const { command, env, packages } = start('front', ...args, '--queue-plaintext')
    const child = spawn(process.execPath, command, { env, stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      let printed = ''
      child.stdout.on('data', (chunk) => (printed += String(chunk)))
      await expect.poll(() => printed, { timeout: 30_000 }).toContain('listening on ')
      const [, url] = /listening on (\S+)/.exec(printed)!
      // Its connection to the queue is opened by the first call that needs it.
      expect((await fetch(`${url}/readyz`)).status).toBe(503)
      child.kill('SIGTERM')
      await once(child, 'exit')
      const loaded = packages()
      expect(loaded).toEqual(expect.arrayContaining(['@redis/client', 'bullmq', 'zod']))
      expect(loaded.filter((name) => OF_MODELS.test(name))).toEqual([])
    } finally {
      child.kill('SIGKILL')
      await redis.stop()
    }
  })
})
