import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findRuntimeFolders, WASM_FILES_OF_PAGES } from '../../src/backends/index.ts'
import { fixtureFolder } from '../helpers/language-model-fixture.ts'
import { type ExampleSite, hasChromium, startExampleSite } from './browser-page.ts'

const builds = join(findRuntimeFolders().web, 'dist')
const read = () => readFile(new URL('../../docs/browsers.md', import.meta.url), 'utf8')

/** Rows of the table of files: name, backend, size. */
async function readTable(): Promise<string[][]> {
  const rows = (await read()).matchAll(/^\| `(ort-[\w.-]+)` \| (\w+) \| ([\d.]+ [kM]B) \|$/gm)
  return Array.from(rows, ([, file, backend, size]) => [file!, backend!, size!])
}

describe('the files of onnxruntime-web that the documents name', () => {
  it('are those that prune keeps for pages, of the sizes that they have', async () => {
    const rows = await readTable()
    expect(rows.map(([file]) => file).sort()).toEqual([...WASM_FILES_OF_PAGES].sort())
    for (const [file, , size] of rows) {
      const { size: bytes } = await stat(join(builds, file!))
      const shown = bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
      expect([file, size]).toEqual([file, shown])
    }
  })

  it('are copied, with the models, by the program of the documents', async () => {
    const out = fileURLToPath(new URL('../../out/', import.meta.url))
    await mkdir(out, { recursive: true })
    const app = await mkdtemp(join(out, 'copied-'))
    const [, program] = /^```mjs\n([\s\S]*?)^```$/m.exec(await read())!
    await writeFile(join(app, 'copy-tessera.mjs'), program!)
    await promisify(execFile)(process.execPath, ['copy-tessera.mjs', 'static'], { cwd: app })
    expect((await readdir(join(app, 'static', 'onnxruntime'))).sort()).toEqual([...WASM_FILES_OF_PAGES].sort())
    expect(await readdir(join(app, 'static', 'models'))).toEqual(expect.arrayContaining(['decide-mini', 'image-mini']))
    await rm(app, { recursive: true })
  })

  describe.skipIf(!hasChromium)('in Chromium (set CHROMIUM to its path where it is not found)', () => {
    let site: ExampleSite
    let folder: string
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'tessera-runtime-'))
      for (const [file, backend] of await readTable()) {
        await cp(join(builds, file!), join(folder, backend!.toLowerCase().replace('assembly', ''), file!))
      }
      site = await startExampleSite({ '/only/': folder, '/small/': fixtureFolder('bert-tree') })
    })
    afterAll(async () => {
      await site?.close()
      await rm(folder, { recursive: true, force: true })
    })

    it.each([
      ['web', 'wasm'],
      ['webgpu', 'webgpu'],
    ])(
      'are enough for the lines of the documents: those in %s alone for %s',
      async (pair, backend) => {
        const [, code] = /^```ts\nimport .*\n([\s\S]*?)^```$/m.exec(await read())!
        const { page, faults } = await site.openLibrary()
        const lines = code!.replace(
          "runtimeUrl: '/onnxruntime/'",
          `runtimeUrl: '/only/${pair}/', backend: '${backend}', models: { 'decide-latest': '/small' }`,
        )
        const { noul, runtime } = (await page.evaluate(`(async () => {
          const { createEngine } = tessera
          const request = { state: 'Where is my parcel?', questions: { angry: { type: 'noul', instructions: 'Is the writer angry?' } } }
          ${lines}
          const { noul } = answers.angry
          const { backend: runtime } = engine.backendInfo()
          await engine.dispose()
          return { noul, runtime }
        })()`)) as { noul: number; runtime: string }
        expect([runtime, noul > 0 && noul < 1, faults]).toEqual([backend, true, []])
        await page.close()
      },
      600_000,
    )
  })
})
