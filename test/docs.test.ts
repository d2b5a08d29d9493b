import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'

/** Documents whose TypeScript blocks stand for themselves: each is a program that runs with the embedded models. */
const DOCUMENTS = ['README.md', 'docs/index.md', 'docs/decisions.md', 'docs/choosing-a-model.md', 'docs/production.md']
/** Blocks of other packages ask a service, which a test of these packages has: test/clients. */
const CLIENTS = ["'openai'", "'@typesafe-ai/sdk'"]
const root = fileURLToPath(new URL('..', import.meta.url))
// Two folders below the root, as deep as the library looks upwards for its models.
const folder = `${root}out/docs-test-${process.pid}`

const blocks = DOCUMENTS.flatMap((document) => {
  const text = readFileSync(root + document, 'utf8')
  return Array.from(text.matchAll(/^```ts\n([\s\S]*?)^```$/gm), ([, code], index) => ({
    name: `${document.replace('docs/', '').replace('.md', '')}-${index + 1}`,
    code: code!,
  })).filter(({ code }) => CLIENTS.every((name) => !code.includes(name)))
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
  const { status, stdout, stderr } = spawnSync(process.execPath, [`${folder}/${name}.js`], {
    encoding: 'utf8',
    // What they write stays there.
    cwd: folder,
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout.trim()).not.toBe('')
  expect(stdout).not.toMatch(/undefined|NaN/)
})
