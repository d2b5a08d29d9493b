import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readdir, stat } from 'node:fs/promises'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { serve } from 'vitepress'
import { npmCommand } from '../helpers/npm.ts'

const ROOT = join(import.meta.dirname, '../..')
const SITE = join(ROOT, 'out/site')

export interface DocsSite {
  /** Without a slash at its end. */
  readonly url: string
  /** Paths of all pages, with a slash at the start and no ending. */
  readonly pages: readonly string[]
  close(): Promise<void>
}

/** The documentation as it is published, built where a source is newer, on a server of its own. */
export async function openDocsSite(): Promise<DocsSite> {
  await buildIfOlder()
  const files = (await readdir(SITE, { recursive: true })).filter((name) => name.endsWith('.html'))
  const { server } = (await serve({ root: join(ROOT, 'docs'), port: 0 })) as { server: Server }
  if (!server.listening) await once(server, 'listening')
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    pages: files.map((name) => `/${name.replaceAll('\\', '/').replace(/(index)?\.html$/, '')}`).sort(),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

async function buildIfOlder(): Promise<void> {
  const built = await stat(join(SITE, 'index.html')).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
  const sources = await Promise.all([findFiles('docs', /\.(md|ts|css|vue)$/), findFiles('src', /(?<!\.test)\.ts$/)])
  const times = await Promise.all(sources.flat().map(async (file) => (await stat(file)).mtimeMs))
  if (Math.max(...times) > built) await promisify(execFile)(...npmCommand('npm', ['run', 'docs']), { cwd: ROOT })
}

/** What is written by hand: the reference of the API is written by the build. */
async function findFiles(folder: string, pattern: RegExp): Promise<string[]> {
  const names = await readdir(join(ROOT, folder), { recursive: true })
  return names.filter((name) => pattern.test(name) && !/^api[/\\]/.test(name)).map((name) => join(ROOT, folder, name))
}
