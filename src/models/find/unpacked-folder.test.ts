import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'

let work: string
let bundle: string
beforeAll(async () => {
  work = realpathSync(mkdtempSync(join(tmpdir(), 'tessera-asar-')))
  bundle = join(work, 'bundle.mjs')
  await build({
    stdin: {
      contents: `import { resolveModel } from './src/models/find/resolve-model.ts'
        console.log((await resolveModel('decide-mini')).folder)`,
      resolveDir: join(import.meta.dirname, '../../..'),
    },
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
  })
})
afterAll(() => rmSync(work, { recursive: true }))

const PACKAGE = 'node_modules/tessera-onnx'

/** An app as Electron shows it: code and models appear in the archive, also those that lie unpacked beside it. */
function resolveIn(app: string, unpacked: boolean): string {
  const resources = mkdtempSync(join(work, 'resources-'))
  cpSync(bundle, join(resources, app, PACKAGE, 'dist/index.mjs'))
  for (const place of unpacked ? [app, `${app}.unpacked`] : [app]) {
    mkdirSync(join(resources, place, PACKAGE, 'models/decide-mini'), { recursive: true })
  }
  const found = execFileSync(process.execPath, [join(resources, app, PACKAGE, 'dist/index.mjs')], { encoding: 'utf8' })
  return found
    .trim()
    .slice(resources.length + 1)
    .replaceAll('\\', '/')
}

it('an embedded model of a packed Electron app is found where native code can read it', () => {
  expect(resolveIn('app.asar', true)).toBe(`app.asar.unpacked/${PACKAGE}/models/decide-mini`)
})

it.each([
  ['app.asar', false],
  ['app', true],
  ['my.asar.app', true],
])('an embedded model in %s, unpacked: %s, is found beside the code', (app, unpacked) => {
  expect(resolveIn(app, unpacked)).toBe(`${app}/${PACKAGE}/models/decide-mini`)
})
