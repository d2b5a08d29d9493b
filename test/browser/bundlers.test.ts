import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bundleWeb } from '../../scripts/bundle-web.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tessera-web-'))
  await bundleWeb(folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

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
