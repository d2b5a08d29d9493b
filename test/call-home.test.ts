import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EngineOptions } from '../src/index.ts'
import { type InstalledPackage, installPackage } from './helpers/installed-package.ts'
import { temporaryFolder } from './helpers/temporary-folder.ts'
import { canTrace, type Traced, traceProgram } from './helpers/trace-program.ts'

/** onnxruntime opens its first connection nine seconds after its first session. */
const FIRST_REPORT_MS = 12_000

const jobs = (options: EngineOptions, holdMs = 0) => `
import { createEngine } from 'tessera-onnx'
const engine = await createEngine(${JSON.stringify(options)})
await engine.decide({ state: 'The parcel is late', questions: { urgent: { type: 'noul', instructions: 'Is it urgent?' } } })
const { data: [drawn] } = await engine.generateImage({ prompt: 'a red apple', size: '256x256', seed: 7 }, { steps: 1 })
const { data: [edited] } = await engine.editImage({ prompt: 'make the background green', image: drawn.b64_json }, { steps: 1 })
await new Promise((resolve) => setTimeout(resolve, ${holdMs}))
const { runtimeTelemetry } = engine.backendInfo()
await engine.dispose()
console.log(JSON.stringify({ edited: edited.b64_json.slice(0, 11), runtimeTelemetry }))
`

let installed: InstalledPackage
beforeAll(async () => {
  installed = await installPackage()
})
afterAll(() => installed?.remove())

const run = (code: string, env = {}) => traceProgram(['--input-type=module', '-e', code], { cwd: installed.app, env })
const silent = { stderr: '', files: [], calls: canTrace ? [] : undefined }
const answer = ({ stdout }: Traced) => JSON.parse(stdout) as object

describe.skipIf(process.platform === 'win32')('nothing leaves the process, and nothing is written,', () => {
  it('by the three jobs in a worker, however long the engine stays', async ({ skip }) => {
    skip(!canTrace, 'strace is not installed, or may not trace here: only files are looked at, not system calls')
    const traced = await run(jobs({}, FIRST_REPORT_MS))
    expect(traced).toMatchObject(silent)
    expect(answer(traced)).toEqual({ edited: 'iVBORw0KGgo', runtimeTelemetry: 'off' })
  })

  it.each<EngineOptions>([{ worker: 'process' }, { worker: false }, { backend: 'wasm' }])(
    'by the three jobs with %o',
    async (options) => {
      const traced = await run(jobs(options))
      expect(traced).toMatchObject(silent)
      expect(answer(traced)).toEqual({ edited: 'iVBORw0KGgo', runtimeTelemetry: 'off' })
    },
  )

  const questions = '{"urgent":{"type":"noul","instructions":"Is it urgent?"}}'
  it.each<[command: string, args: readonly string[], told: object]>([
    ['doctor', [], { runtimeTelemetry: 'off' }],
    ['decide', ['--questions', questions, '--state', 'The parcel is late'], { model: 'decide-mini' }],
    ['setup', ['prune', '--dry-run'], {}],
  ])(
    'by `tessera %s`',
    async (command, args, told) => {
      const cli = 'node_modules/tessera-onnx/dist/cli.js'
      const traced = await traceProgram([cli, command, '--json', ...args], { cwd: installed.app })
      expect(traced).toMatchObject(silent)
      expect(answer(traced)).toMatchObject(told)
    },
    300_000,
  )

  it('by benches, which also open sessions without the library', async () => {
    const folder = temporaryFolder()
    const bench = join(folder, 'bench-bare.ts')
    const session = "InferenceSession.create(Buffer.from('no model')).catch(() => console.log('opened'))"
    await writeFile(bench, `import { InferenceSession } from 'onnxruntime-node'\nawait ${session}`)
    const traced = await traceProgram(['scripts/run-ts.mjs', bench], { cwd: join(import.meta.dirname, '..') })
    // Programs of the repository are bundled to its out/ before they run.
    const outside = traced.calls?.filter((call) => /\b(socket|connect)\(|Microsoft/.test(call))
    expect({ ...traced, calls: outside }).toEqual({ ...silent, stdout: 'opened\n' })
  })

  it('by an app that has imported onnxruntime-node, and opened no session', async () => {
    const traced = await run(`import 'onnxruntime-node'\n${jobs({})}`)
    expect(traced).toMatchObject(silent)
  })

  it('by a worker thread of the app, which is refused onnxruntime-node until the app has decided', async () => {
    const inWorker = `import { Worker } from 'node:worker_threads'
      const code = \`process.env.ORT_DISABLE_TELEMETRY = '1' // which is a copy here
        import('tessera-onnx').then(({ createEngine }) => createEngine()).then(
          async (engine) => (console.log(engine.backendInfo().runtimeTelemetry), await engine.dispose()),
          ({ message }) => console.log(message))\`
      new Worker(code, { eval: true })`
    const refused = await run(inWorker)
    expect(refused).toMatchObject(silent)
    expect(refused.stdout).toMatch(
      /^ORT_DISABLE_TELEMETRY: must be set, as onnxruntime-node otherwise reports to its maker/,
    )
    const decided = await run(`process.env.ORT_DISABLE_TELEMETRY = '1'\n${inWorker}`)
    expect(decided).toMatchObject({ ...silent, stdout: 'off\n' })
  })
})

// These also show that the tests above would see what they say does not happen.
describe.skipIf(process.platform === 'win32')('onnxruntime reports', () => {
  const told = expect.arrayContaining([expect.stringContaining('Microsoft/DeveloperTools')])

  it('where an app asks for it', async () => {
    const traced = await run(jobs({ runtimeTelemetry: true }, FIRST_REPORT_MS))
    expect(answer(traced)).toMatchObject({ runtimeTelemetry: 'on' })
    expect(traced.files).toEqual(told)
    if (traced.calls) expect(traced.calls.filter((call) => /connect\(.*htons\(9\)/.test(call))).not.toEqual([])
  })

  it('where the environment has decided so before', async () => {
    const traced = await run(jobs({}), { ORT_DISABLE_TELEMETRY: '0' })
    expect(answer(traced)).toMatchObject({ runtimeTelemetry: 'on' })
    expect(traced.files).toEqual(told)
  })

  it.skipIf(process.platform !== 'linux')(
    'where the app has opened a session before, and the engine says so',
    async () => {
      const before = `import { InferenceSession } from 'onnxruntime-node'
      await InferenceSession.create(Buffer.from('no model')).catch(() => {})`
      const traced = await run(`${before}\n${jobs({})}`)
      expect(answer(traced)).toMatchObject({ runtimeTelemetry: 'on' })
      expect(traced.files).toEqual(told)
    },
  )
})
