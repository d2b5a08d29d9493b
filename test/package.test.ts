import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { materializeBundle } from './helpers/image-bundle.ts'
import { type Finished, type InstalledPackage, installPackage, npmInstall, runIn } from './helpers/installed-package.ts'
import { npmCommand } from './helpers/npm.ts'
import { temporaryFolder } from './helpers/temporary-folder.ts'

const ROOT = join(import.meta.dirname, '..')
const QUESTIONS = '{"urgent":{"type":"noul","instructions":"Is it urgent?"}}'
const CALL = `decide({ state: 'The parcel is late', questions: ${QUESTIONS} }).then(({ model, answers: { urgent: { noul } } }) => {
  console.log(JSON.stringify({ node: process.versions.node, model, valid: noul >= 0 && noul <= 1 }))
})`
const ESM = `import { decide } from 'tessera-onnx'\nawait ${CALL}`
const REQUIRE = `const { decide } = require('tessera-onnx')\n${CALL}`

let installed: InstalledPackage
beforeAll(async () => {
  installed = await installPackage()
})
afterAll(() => installed?.remove())

/** How far a command is, which it says on stderr where that takes it more than some seconds, as on a busy machine. */
const PROGRESS = /^(\w+ .+ of .+\n)*$/

/** What the one line of an app says, which must be all it prints, on either stream. */
function answerOf({ code, stdout, stderr }: Finished): unknown {
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(PROGRESS) })
  return JSON.parse(stdout)
}

describe('the tarball', () => {
  it('is below 60 MB, nearly all of it embedded models', () => {
    expect(installed.size).toBeLessThan(60e6)
    const others = installed.files.filter(({ path }) => !path.startsWith('models/'))
    expect(others.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(4e6)
  })

  it('holds the build, the embedded models and the usual papers, and nothing else', () => {
    const others = installed.files
      .map(({ path }) => path)
      .filter(
        (path) =>
          !/^(dist\/[\w-]+(\.d-[\w-]+)?\.(js|d\.ts)|dist\/web\/[\w.-]+\.(js|d\.ts)|dist\/(web\/)?([\w-]+\.)?LICENSES\.txt|dist\/require\/((web\/)?[\w-]+(\.d-[\w-]+)?\.(js|d\.ts)|package\.json)|dist\/console\/page\.(html|css|js)|models\/(decide|image)-mini\/[\w./-]+|docs\/[\w-]+\.md|package\.json|README\.md|LICENSE|NOTICE|CHANGELOG\.md)$/.test(
            path,
          ),
      )
    expect(others).toEqual([])
  })

  it("is unpacked under Yarn's Plug'n'Play, as onnxruntime reads no archives", () => {
    expect(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))).toMatchObject({ preferUnplugged: true })
  })

  it('holds what package.json points to', () => {
    const { bin, exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<string, unknown>
    const targets = JSON.stringify([bin, exports]).match(/\.\/dist\/[^"]+/g) ?? []
    expect(targets.length).toBeGreaterThan(3)
    expect(installed.files.map(({ path }) => `./${path}`)).toEqual(expect.arrayContaining(targets))
  })
})

describe('tools that know packages', () => {
  it('find no fault in how the tarball is imported and required', async () => {
    const { buffer } = new Uint8Array(await readFile(installed.tarball))
    expect((await publint({ pack: { tarball: buffer }, level: 'suggestion', strict: true })).messages).toEqual([])
  })

  it('find types wherever there is something to import', async () => {
    // The script of a browser's worker is started, and never imported.
    const options = { excludeEntrypoints: ['./web/worker'] }
    const tarball = createPackageFromTarballData(new Uint8Array(await readFile(installed.tarball)))
    const result = await checkPackage(tarball, options)
    expect(result).toMatchObject({ types: { kind: 'included' }, problems: [] })
  })
})

describe(`the installed package on this Node, ${process.version}`, () => {
  const node = (...args: string[]) => runIn(installed.app, process.execPath, args)

  it('answers with the embedded model where it is imported', () => {
    expect(answerOf(node('--input-type=module', '-e', ESM))).toMatchObject({ model: 'decide-mini', valid: true })
  })

  it('answers where it is required', () => {
    expect(answerOf(node('--input-type=commonjs', '-e', REQUIRE))).toMatchObject({ model: 'decide-mini', valid: true })
  })

  it('is the same library where it is required and where it is imported', () => {
    const both = `import * as imported from 'tessera-onnx'
      const { createRequire } = await import('node:module')
      const required = createRequire(import.meta.url)('tessera-onnx')
      console.log(JSON.stringify(Object.keys(imported).filter((name) => required[name] !== imported[name])))`
    expect(answerOf(node('--input-type=module', '-e', both))).toEqual([])
  })

  it('draws and edits pictures, with the sharp that was installed along', async () => {
    await using bundle = await materializeBundle('klein-distilled')
    const code = `import { createEngine } from 'tessera-onnx'
      const folder = ${JSON.stringify(bundle.folder)}
      const engine = await createEngine({ models: { 'alpha-image-turbo': folder, 'beta-klein-4b': folder } })
      const request = { prompt: 'a red apple', size: '100x70', seed: 1 }
      const { data: [drawn] } = await engine.generateImage(request, { steps: 1 })
      const { data: [edited] } = await engine.editImage({ prompt: 'x', image: drawn.b64_json }, { steps: 1, seed: 1 })
      await engine.dispose()
      console.log(JSON.stringify([drawn, edited].map(({ b64_json }) => b64_json.slice(0, 11))))`
    expect(answerOf(node('--input-type=module', '-e', code))).toEqual(['iVBORw0KGgo', 'iVBORw0KGgo'])
  })

  it('answers in an app that was started with flags a worker cannot have', () => {
    const flags = ['--max-old-space-size=512', '--expose-gc', '--input-type=module']
    expect(answerOf(node(...flags, '-e', ESM))).toMatchObject({ valid: true })
  })
})

describe.each([22, 24])('the installed package on Node %i', (major) => {
  const folder = temporaryFolder()
  let binary: string | undefined
  beforeAll(async () => {
    // Node's own binaries as packages, by platform; the package `node` picks one in a script, which does not run here.
    const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
    await writeFile(join(folder, 'package.json'), '{"private":true}')
    if (!(await npmInstall(folder, `${name}@${major}`))) return
    binary = join(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  })

  it.for([
    ['imported', 'module', ESM],
    ['required', 'commonjs', REQUIRE],
  ] as const)('answers where it is %s', ([, type, code], { skip }) => {
    skip(binary === undefined, `Node ${major} cannot be had: the npm registry cannot be reached`)
    const answer = answerOf(runIn(installed.app, binary!, [`--input-type=${type}`, '-e', code]))
    expect(answer).toMatchObject({ node: expect.stringMatching(`^${major}\\.`), model: 'decide-mini', valid: true })
  })
})

it('lets tools that copy what a program loads find its worker and the embedded models', async ({ skip }) => {
  const folder = temporaryFolder()
  await writeFile(join(folder, 'package.json'), '{"private":true}')
  // What Nuxt's server, Vercel and others find files by.
  skip(!(await npmInstall(folder, '@vercel/nft')), '@vercel/nft cannot be had: the npm registry cannot be reached')
  await writeFile(join(installed.app, 'traced.mjs'), ESM)
  const code = `const { nodeFileTrace } = require('@vercel/nft')
    const [, app, file] = process.argv
    nodeFileTrace([file], { base: app }).then(({ fileList }) => console.log(JSON.stringify([...fileList])))`
  const files = answerOf(
    runIn(folder, process.execPath, ['-e', code, installed.app, join(installed.app, 'traced.mjs')]),
  )
  const own = ['dist/worker.js', 'models/decide-mini/config.json', 'models/image-mini/model_index.json']
  expect(files).toEqual(expect.arrayContaining(own.map((file) => join('node_modules/tessera-onnx', file))))
})

describe('the command line of the installed package', () => {
  const tessera = (args: readonly string[], options = {}) =>
    runIn(
      installed.app,
      process.execPath,
      [join(installed.app, 'node_modules/tessera-onnx/dist/cli.js'), ...args],
      options,
    )
  const decide = (args: readonly string[], options = {}) =>
    tessera(['decide', ...(args.includes('--questions') ? [] : ['--questions', QUESTIONS]), ...args], options)
  const state = 'The parcel is late'

  it('is found by npx', () => {
    const words = ['--no', 'tessera', 'decide', '--json', '-s', state, '-q', QUESTIONS]
    const { code, stdout } = runIn(installed.app, ...npmCommand('npx', words))
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ model: 'decide-mini', answers: { urgent: { type: 'noul' } } })
  })

  it('reads the state from stdin or a file, and answers the same', async () => {
    await writeFile(join(installed.app, 'state.txt'), state)
    const responses = [decide(['--json', '-'], { input: state }), decide(['--json', 'state.txt'])].map(
      (finished) => answerOf(finished) as { answers: object; usage: object },
    )
    for (const { answers, usage } of responses) {
      expect({ answers, usage }).toEqual({ answers: responses[0]!.answers, usage: responses[0]!.usage })
    }
    const other = answerOf(decide(['--json', '--state', 'x'])) as { usage: object }
    expect(other.usage).not.toEqual(responses[0]!.usage)
  })

  it('prints for people without --json, in colour only where that is wanted', () => {
    const plain = decide(['-s', state])
    expect(plain).toMatchObject({ code: 0, stderr: expect.stringMatching(PROGRESS) })
    expect(plain.stdout).toContain('urgent: ')
    expect(plain.stdout).not.toContain('\u001B')
    expect(decide(['-s', state], { env: { FORCE_COLOR: '1' } }).stdout).toContain('\u001B[')
    expect(decide(['-s', state], { env: { FORCE_COLOR: '1', NO_COLOR: '1' } }).stdout).not.toContain('\u001B')
  })

  it.each([
    ['a model that is not there', 1, ['--use', '/no/such/folder'], 'was not found'],
    ['a misspelled option', 2, ['--min-confidance', '0.9'], '--min-confidance'],
    ['a question that is none', 2, ['--questions', '{"q":{"type":"riddle"}}'], 'questions.q.type: '],
  ])('reports %s on one line of stderr and exits with %i', (_, code, args, words) => {
    const finished = decide(args, { input: state })
    expect(finished).toEqual({ code, stdout: '', stderr: expect.stringMatching(/^error [^\n]+\n$/) })
    expect(finished.stderr).toContain(words)
    const { error } = JSON.parse(decide(['--json', ...args], { input: state }).stdout) as { error: { message: string } }
    expect(finished.stderr).toContain(error.message)
  })

  it.each([
    ['an unknown command', ['dicide']],
    ['no questions', ['decide', '-s', 'x']],
  ])('calls %s bad usage', (_, args) => {
    expect(tessera(args)).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(/^error [^\n[]+\n$/) })
  })

  it('knows its version and its commands', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
    expect(tessera(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
    expect(tessera(['--help'])).toMatchObject({ code: 0, stdout: expect.stringContaining('decide') })
    expect(answerOf(tessera(['doctor', '--json']))).toMatchObject({ tessera: version, node: process.version })
    expect(tessera([])).toMatchObject({ code: 0, stdout: tessera(['--help']).stdout })
    const { served } = answerOf(tessera(['models', '--json'])) as { served: unknown[] }
    expect(served).toContainEqual(
      expect.objectContaining({ name: 'decide-latest', id: 'decide-mini', available: true, kind: 'decisions' }),
    )
  })
})
