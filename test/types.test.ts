import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type InstalledPackage, installPackage, npmInstall, runIn } from './helpers/installed-package.ts'
import { temporaryFolder } from './helpers/temporary-folder.ts'
import { TYPED_APP } from './helpers/typed-app.ts'
import { TYPED_FUNCTION } from './helpers/typed-function.ts'

const ROOT = join(import.meta.dirname, '..')
const OWN = join(ROOT, 'node_modules/@typescript/native/bin/tsc')
/** Written in JavaScript, and several times as slow. */
const SIX = join(ROOT, 'node_modules/typescript/bin/tsc6')

/** Each version compiles all declarations for half a minute: for those who ask for it. */
const WANTED = process.env.TESSERA_TEST_TYPES !== undefined
/** From the oldest that is supported to the newest there is. */
const VERSIONS = ['5.6', '5.9', '6', 'latest']

const NODE = { types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] }
const NO_DOM = { target: 'ES2022', lib: ['ES2023'], ...NODE }
const MODULE_KINDS: [name: string, file: string, options: object][] = [
  ['module: node16, CommonJS, no DOM', 'app.cts', { module: 'Node16', ...NO_DOM }],
  ['module: node16, a module, no DOM', 'app.mts', { module: 'Node16', ...NO_DOM }],
  ['moduleResolution: bundler, no DOM', 'app.ts', { module: 'ESNext', moduleResolution: 'bundler', ...NO_DOM }],
]

let installed: InstalledPackage
beforeAll(async () => {
  installed = await installPackage()
})
afterAll(() => installed?.remove())

/** Compiles one file of the app, and all declarations that it reaches. */
async function compile(tsc: string, folder: string, file: string, source: string, compilerOptions: object) {
  const path = join(installed.app, folder)
  await mkdir(path, { recursive: true })
  await writeFile(join(path, file), source)
  await writeFile(
    join(path, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { strict: true, skipLibCheck: false, ...compilerOptions }, files: [file] }),
  )
  const { code, stdout } = runIn(path, process.execPath, [tsc, '-p', path])
  return { code, stdout }
}

describe('the types of the installed package', () => {
  const options = { noEmit: true, target: 'ES2022', lib: ['ES2023', 'ESNext.Disposable', 'DOM'], ...NODE }

  it.each([
    ['bundler', 'TypeScript 6', SIX, { module: 'ESNext', moduleResolution: 'bundler' }],
    ['nodenext', 'TypeScript 7', OWN, { module: 'NodeNext', moduleResolution: 'NodeNext' }],
  ])('give each answer the type of its question under moduleResolution %s of %s', async (name, _, tsc, kind) => {
    expect(await compile(tsc, name, 'app.ts', TYPED_APP, { ...options, ...kind })).toEqual({ code: 0, stdout: '' })
  })

  it('compile in a page, without the types of Node', async () => {
    const source = "import { createEngine } from 'tessera-onnx/web'\nexport { createEngine }\n"
    const page = { noEmit: true, target: 'ES2022', lib: ['ES2022', 'DOM', 'DOM.Iterable'], types: [], module: 'ESNext' }
    const result = await compile(OWN, 'page', 'app.ts', source, { ...page, moduleResolution: 'bundler' })
    expect(result).toEqual({ code: 0, stdout: '' })
  })

  it('can be named in declarations of an app that exports what mounts the service', async () => {
    const source = `import { toHonoHandler } from 'tessera-onnx/hono'
import { toNextHandlers } from 'tessera-onnx/next'
const server = { fetch: async (_: Request) => new Response() }
export const mounted = toHonoHandler(server)
export const { GET, POST } = toNextHandlers(server)
`
    // The app has no Hono, whose types those of the handler name.
    const kind = { ...options, noEmit: false, declaration: true, outDir: 'out', module: 'NodeNext', skipLibCheck: true }
    expect(await compile(OWN, 'declared', 'app.ts', source, kind)).toEqual({ code: 0, stdout: '' })
  })

  it('can be named in declarations of an app that exports answers, and what engines and services say of themselves', async () => {
    const source = `import { createEngine, decide, type EngineOptions } from 'tessera-onnx'
import { createMemoryStore, createServer, type JobStore } from 'tessera-onnx/server'
export async function isUrgent(state: string) {
  const { answers } = await decide({ state, questions: { urgent: { type: 'noul', instructions: 'Today?', min_confidence: 0.6 } } })
  return answers.urgent
}
export async function teamOf(state: string) {
  const criteria = { billing: 'Payments', tech: 'Bugs', ...(state !== '' && { vip: 'Complaints' }) }
  const { answers } = await decide({ state, questions: { team: { type: 'choice', criteria } }, min_confidence: 0.6 })
  return answers.team
}
const engine = await createEngine()
export const { selfTest, tried } = engine.backendInfo()
export const { queues, models } = engine.activity()
export const read = ({ keepStates, models, workers }: EngineOptions) => ({ keepStates, models, workers })
export const server = createServer({ engine })
export const count = createMemoryStore().countRequest?.('shop', 60)
export const countsOf = async (store: JobStore) => (await store.list('shop')).map(({ counts, error }) => ({ counts, error }))
`
    const kind = { ...options, noEmit: false, declaration: true, outDir: 'out', module: 'NodeNext', skipLibCheck: true }
    expect(await compile(OWN, 'exported', 'app.mts', source, kind)).toEqual({ code: 0, stdout: '' })
  })

  it('do fail to compile where an error is expected', async () => {
    const source = TYPED_APP.replaceAll(/^\/\/ @ts-expect-error.*\n/gm, '')
    // The declarations themselves are checked above.
    const kind = { ...options, module: 'NodeNext', skipLibCheck: true }
    const { stdout } = await compile(OWN, 'without-expectations', 'app.ts', source, kind)
    expect(stdout.match(/error TS/g)).toHaveLength(6)
  })

  it('are there for CommonJS, whose output answers when it runs', async () => {
    const kind = { module: 'Node16', esModuleInterop: true, ...NO_DOM }
    expect(await compile(OWN, 'commonjs', 'app.cts', TYPED_FUNCTION, kind)).toEqual({ code: 0, stdout: '' })
    expect(runIn(installed.app, process.execPath, ['commonjs/app.cjs'])).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^(billing|tech)\n$/),
    })
  })

  it('have no Uint8Array with an argument, which TypeScript 5.6 refuses', async () => {
    const declarations = installed.files.filter(({ path }) => path.endsWith('.d.ts'))
    expect(declarations.length).toBeGreaterThan(20)
    for (const { path } of declarations) {
      expect(await readFile(join(ROOT, path), 'utf8')).not.toMatch(/Uint8Array</)
    }
  })

  // Before TypeScript 5.8, and under node16, a file of CommonJS finds no types of a module without it.
  it('name modules that cannot be required as such, for CommonJS', async () => {
    const declarations = await readFile(join(ROOT, 'dist/require/ai-sdk.d.ts'), 'utf8')
    expect(declarations.match(/from '@ai-sdk\/provider'.*/g)).toEqual([
      "from '@ai-sdk/provider' with { 'resolution-mode': 'import' };",
    ])
  })

  it('are found for every subpath by compilers that read no exports', async () => {
    const { exports, typesVersions, types } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
      exports: Record<string, { require?: { types: string }; default: { types: string } }>
      typesVersions: { '*': Record<string, string[]> }
      types: string
    }
    // What is started or read is one path, and has no types.
    const typed = Object.entries(exports).flatMap(([path, { require, default: imported }]) =>
      require ? [[path.slice(2), { require: require.types, default: imported.types }] as const] : [],
    )
    expect({ '': [types], ...typesVersions['*'] }).toEqual(
      Object.fromEntries(typed.map(([path, declarations]) => [path, [declarations.default]])),
    )
    const packed = installed.files.map(({ path }) => `./${path}`)
    expect(packed).toEqual(expect.arrayContaining(typed.flatMap(([, declarations]) => Object.values(declarations))))
  })
})

describe.skipIf(!WANTED).each(VERSIONS)('the types under TypeScript %s (TESSERA_TEST_TYPES=1)', (version) => {
  const home = temporaryFolder()
  let tsc: string
  beforeAll(async () => {
    await writeFile(join(home, 'package.json'), '{"private":true}')
    if (!(await npmInstall(home, `typescript@${version}`))) throw new Error('the npm registry cannot be reached')
    tsc = join(home, 'node_modules/typescript/bin/tsc')
  })

  it.each(MODULE_KINDS)('compile with %s', async (_, file, options) => {
    const folder = `kind-${version}-${file.replace('.', '-')}`
    const result = await compile(tsc, folder, file, TYPED_FUNCTION, { noEmit: true, ...options })
    expect(result).toEqual({ code: 0, stdout: '' })
  })

  it('compile with what tsc --init writes, but for skipLibCheck', async () => {
    const folder = join(installed.app, `init-${version}`)
    await mkdir(folder)
    expect(runIn(folder, process.execPath, [tsc, '--init'])).toMatchObject({ code: 0 })
    // From TypeScript 5.9 on it writes `types: []`, and says above to take the types of Node where Node is used.
    const flags = ['--skipLibCheck', 'false', '--noEmit', '--types', 'node', '--typeRoots', NODE.typeRoots[0]!]
    await writeFile(join(folder, 'app.ts'), TYPED_FUNCTION)
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
    const { code, stdout } = runIn(folder, process.execPath, [tsc, '-p', folder, ...flags])
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  })
})
