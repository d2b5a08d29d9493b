import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEngine, type DecisionResponse, type EngineBackendInfo } from '../src/index.ts'

const ROOT = join(import.meta.dirname, '..')
const REQUEST = {
  state: 'The parcel arrived with a broken lid.',
  questions: { broken: { type: 'noul', instructions: 'Did something break?' } },
} as const

/** What Alpine gives: the package is there and its binding does not load. */
const NO_BINDING = "throw Object.assign(new Error('ld-linux-x86-64.so.2: cannot open'), { code: 'ERR_DLOPEN_FAILED' })"

const PROGRAM = `
import { createEngine } from './src/index.ts'
const engine = await createEngine({ worker: false, threads: 2 })
const response = await engine.decide(${JSON.stringify(REQUEST)})
process.stdout.write(JSON.stringify({ info: engine.backendInfo(), response }))
await engine.dispose()
`

describe('where the native binding does not load', () => {
  let folder: string
  let said: { info: EngineBackendInfo; response: DecisionResponse }
  let warned: string
  beforeAll(async () => {
    // As deep below the root as code looks upwards for models.
    folder = await mkdtemp(join(ROOT, 'out', 'no-binding-'))
    // The nearest package of a name is the one that is taken.
    const runtime = join(folder, 'node_modules', 'onnxruntime-node')
    await mkdir(runtime, { recursive: true })
    await writeFile(join(runtime, 'index.js'), NO_BINDING)
    const outfile = join(folder, 'program.mjs')
    await build({
      stdin: { contents: PROGRAM, resolveDir: ROOT, loader: 'ts' },
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      packages: 'external',
    })
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [outfile])
    warned = stderr
    said = JSON.parse(stdout) as typeof said
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('WebAssembly takes over with its threads, and says why', () => {
    expect(said.info).toMatchObject({
      backend: 'wasm',
      threads: 2,
      attention: 'fused',
      precision: 'float32',
      tried: [{ name: 'cuda' }, { name: 'cpu', reason: expect.stringContaining('cannot open') }],
    })
    expect(said.info.reason).toContain('wasm is the first that works here; before it: cuda: ')
  })

  it('a warning says that it is slow, why, and what helps', () => {
    expect(warned).toMatch(
      /TesseraBackendWarning: WebAssembly computes here, which is slow: onnxruntime-node .*cannot open.*use /,
    )
  })

  const { glibcVersionRuntime } = (process.report.getReport() as { header: { glibcVersionRuntime?: string } }).header
  const hasBinding = process.platform !== 'linux' || glibcVersionRuntime !== undefined
  it.skipIf(!hasBinding).each([
    ['WebAssembly', 'asked for by name', 'wasm', 1e-6],
    ['the native binding', 'which may compute in integers', 'cpu', 0.05],
  ] as const)('answers are those of %s, %s', async (_, _why, backend, most) => {
    await using engine = await createEngine({ backend, threads: 1, worker: false })
    const { answers } = await engine.decide(REQUEST)
    const got = said.response.answers as typeof answers
    expect(Math.abs(got.broken.noul - answers.broken.noul)).toBeLessThan(most)
  })
})
