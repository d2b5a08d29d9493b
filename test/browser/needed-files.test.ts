import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WASM_FILES_OF_PAGES } from '../../src/backends/index.ts'
import { fixtureFolder } from '../helpers/language-model-fixture.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { type ExampleSite, hasChromium, startExampleSite } from './browser-page.ts'
import { BUILDS, copyNeededFiles, readGuide, readTable } from './needed-files.ts'

describe('the files of onnxruntime-web that the documents name', () => {
  it('are those that prune keeps for pages, of the sizes that they have', async () => {
    const rows = await readTable()
    expect(rows.map(([file]) => file).sort()).toEqual([...WASM_FILES_OF_PAGES].sort())
    for (const [file, , size] of rows) {
      const { size: bytes } = await stat(join(BUILDS, file!))
      const shown = bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
      expect([file, size]).toEqual([file, shown])
    }
  })

  it('are copied, with the models, by the program of the documents', async () => {
    const out = fileURLToPath(new URL('../../out/', import.meta.url))
    await mkdir(out, { recursive: true })
    const app = await mkdtemp(join(out, 'copied-'))
    const [, program] = /^```mjs\n([\s\S]*?)^```$/m.exec(await readGuide())!
    await writeFile(join(app, 'copy-tessera.mjs'), program!)
    await promisify(execFile)(process.execPath, ['copy-tessera.mjs', 'static'], { cwd: app })
    expect((await readdir(join(app, 'static', 'onnxruntime'))).sort()).toEqual([...WASM_FILES_OF_PAGES].sort())
    expect(await readdir(join(app, 'static', 'models'))).toEqual(expect.arrayContaining(['decide-mini', 'image-mini']))
    await rm(app, { recursive: true })
  })

  describe.skipIf(!hasChromium)('in Chromium (set CHROMIUM to its path where it is not found)', () => {
    let site: ExampleSite
    const needed = temporaryFolder()
    beforeAll(async () => {
      await copyNeededFiles(needed)
      site = await startExampleSite({ '/needed/': needed, '/small/': fixtureFolder('bert-tree') })
    })
    afterAll(() => site?.close())

    it('are enough for the lines of the documents', async () => {
      const [, code] = /^```ts\nimport .*\n([\s\S]*?)^```$/m.exec(await readGuide())!
      const { page, faults } = await site.openLibrary()
      const lines = code!.replace(
        "runtimeUrl: '/onnxruntime/'",
        "runtimeUrl: '/needed/wasm/', backend: 'wasm', models: { 'decide-latest': '/small' }",
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
      expect([runtime, noul > 0 && noul < 1, faults]).toEqual(['wasm', true, []])
      await page.close()
    })
  })
})
