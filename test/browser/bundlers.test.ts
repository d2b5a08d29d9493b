import { cp, mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { beforeAll, expect, it } from 'vitest'
import { bundleWeb } from '../../scripts/bundle-web.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

const folder = temporaryFolder()
beforeAll(() => bundleWeb(folder))

it('bundlers of pages are led to no file that is not there', async () => {
  const files = await readdir(folder)
  expect(files).toContain('worker.js')
  for (const file of files.filter((name) => name.endsWith('.js'))) {
    const code = await readFile(join(folder, file), 'utf8')
    // Any name of `URL` will do: onnxruntime has another.
    const led = Array.from(code.matchAll(/new \w+\("([^"]+)",\s*import\.meta\.url\)/g), ([, path]) => path)
    expect(led.filter((path) => !files.includes(path!.replace('./', '')))).toEqual([])
    expect(code).not.toMatch(/\bimport\(\s*\w/)
  }
})

it('the file of the worker shares nothing with its parts, which would import it and have WebKit run it twice', async () => {
  const code = await readFile(join(folder, 'worker.js'), 'utf8')
  expect(code).toMatch(/\bimport\("\.\/serve-page-/)
  expect(code).not.toMatch(/\bfrom"|\bexport\b/)
})

/** An app that has the package, and one file. */
async function bundleApp(code: string): Promise<string> {
  const app = await mkdtemp(join(folder, 'app-'))
  const installed = join(app, 'node_modules/tessera-onnx')
  await mkdir(join(installed, 'dist'), { recursive: true })
  await cp(join(import.meta.dirname, '../../package.json'), join(installed, 'package.json'))
  await symlink(folder, join(installed, 'dist/web'), 'junction')
  await writeFile(join(app, 'main.js'), code)
  const { outputFiles } = await build({
    absWorkingDir: app,
    entryPoints: ['main.js'],
    bundle: true,
    format: 'esm',
    // Links followed, the file would lie in no package.
    preserveSymlinks: true,
    write: false,
    logLevel: 'silent',
  })
  return outputFiles[0]!.text
}

it('bundlers keep the worker that a file of an app imports for what it does', async () => {
  expect(await bundleApp("import 'tessera-onnx/web/worker'\n")).toContain('addEventListener("message"')
})

it('pages that import what is for Node are told what to import', async () => {
  const code = await bundleApp("import { decide } from 'tessera-onnx'\ndecide({})\n")
  await expect(import(`data:text/javascript,${encodeURIComponent(code)}`)).rejects.toThrow(
    "createEngine of 'tessera-onnx/web'",
  )
})
