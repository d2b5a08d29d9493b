import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'

/** Documents whose TypeScript blocks stand for themselves: each is a program that runs with the embedded models. */
const DOCUMENTS = ['decisions.md']
const root = fileURLToPath(new URL('..', import.meta.url))
// Two folders below the root, as deep as the library looks upwards for its models.
const folder = `${root}out/docs-test-${process.pid}`

const blocks = DOCUMENTS.flatMap((document) => {
  const text = readFileSync(`${root}docs/${document}`, 'utf8')
  return Array.from(text.matchAll(/^```ts\n([\s\S]*?)^```$/gm), ([, code], index) => ({
    name: `${document.replace('.md', '')}-${index + 1}`,
    code: code!,
  }))
})

beforeAll(async () => {
  mkdirSync(folder, { recursive: true })
  for (const { name, code } of blocks) writeFileSync(`${folder}/${name}.ts`, code)
  const programs = Object.fromEntries(blocks.map(({ name }) => [name, `${folder}/${name}.ts`]))
  await build({
    entryPoints: { ...programs, worker: `${root}src/engine/worker.ts` },
    outdir: folder,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    alias: { 'tessera-onnx': `${root}src/index.ts` },
  })
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it.each(blocks)('$name runs, prints answers and ends', ({ name }) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [`${folder}/${name}.js`], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout.trim()).not.toBe('')
  expect(stdout).not.toMatch(/undefined|NaN/)
})
