import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { npmInstall, runIn } from './helpers/installed-package.ts'
import { temporaryFolder } from './helpers/temporary-folder.ts'

const ROOT = join(import.meta.dirname, '..')

// npm ends with ERESOLVE where an app has another version of a peer than the range allows, though the peer is optional.
it('the package is installed beside any version of its optional peers', async () => {
  const { peerDependencies, peerDependenciesMeta } = JSON.parse(
    await readFile(join(ROOT, 'package.json'), 'utf8'),
  ) as Record<'peerDependencies' | 'peerDependenciesMeta', Record<string, unknown>>
  expect(new Set(Object.values(peerDependencies))).toEqual(new Set(['*']))
  expect(Object.keys(peerDependenciesMeta)).toEqual(Object.keys(peerDependencies))
})

it('the service is mounted in an app of an older Hono', async ({ skip }) => {
  const app = temporaryFolder()
  await writeFile(join(app, 'package.json'), '{"private":true,"type":"module"}')
  skip(!(await npmInstall(app, 'hono@4.0')), 'Hono 4.0 cannot be had: the npm registry cannot be reached')
  await build({
    entryPoints: [join(ROOT, 'src/http/adapters/hono.ts')],
    outfile: join(app, 'adapter.js'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['hono'],
  })
  const code = `import { Hono } from 'hono'
    import { toHonoHandler } from './adapter.js'
    const server = { fetch: async ({ url }) => Response.json(new URL(url).pathname) }
    const app = new Hono().all('/ai/*', toHonoHandler(server))
    console.log(await (await app.request('/ai/v1/models')).text())`
  const finished = runIn(app, process.execPath, ['--input-type=module', '-e', code])
  expect(finished).toMatchObject({ code: 0, stdout: '"/v1/models"\n' })
})
