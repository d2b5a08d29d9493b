import type { Step } from './step.ts'

const CLI = 'node_modules/tessera-onnx/dist/cli.js'
const QUESTIONS = '{"angry":{"type":"noul","instructions":"Is the writer angry?"}}'
const DONE = /^done$/m

/** A program that ends by itself, and says so where nothing that it expected was otherwise. */
const program = (name: string, code: string): Step => {
  const file = `${name.replaceAll(/\W+/g, '-')}.mjs`
  const text = `import assert from 'node:assert/strict'\nconst questions = ${QUESTIONS}\n${code}\nconsole.log('done')`
  return { name, files: { [file]: text }, runs: [[file]], prints: DONE }
}

/** What the programs of newcomers do next, with rows, pictures, errors and tests of their own. */
export const PROGRAM_STEPS: readonly Step[] = [
  program(
    '200 rows of a database at once',
    `import { decide } from 'tessera-onnx'
class Row {
  id = 1
  at = new Date(0)
  note = undefined
}
const all = await Promise.all(Array.from({ length: 200 }, () => decide({ state: new Row(), questions })))
assert.equal(all.filter(({ answers }) => answers.angry.noul >= 0).length, 200)
await assert.rejects(decide({ state: { rows: [{ price: NaN }] }, questions }), /state\\.rows\\.0\\.price: must be a finite number/)
const { warnings } = await decide({ state: '', questions, minConfidence: 0.5 })
assert.match(warnings[0].message, /min_confidence may be meant/)`,
  ),
  program(
    'many requests, with models opened ahead',
    `import { createEngine } from 'tessera-onnx'
await assert.rejects(createEngine({ preload: ['decide-latest'], models: { 'decide-latest': './none' } }), { code: 'model_not_found' })
const engine = await createEngine({ preload: ['decide-latest'] })
await engine.load('decide-latest')
const states = ['Where is my parcel?', 5, 'Thank you']
const codes = []
for await (const { error } of engine.decideMany(states.map((state) => ({ state, questions })), { concurrency: 2 })) codes.push(error?.code)
assert.deepEqual(codes, [undefined, 'invalid_request', undefined])
await engine.dispose()`,
  ),
  program(
    'errors say where the call was',
    `import { createEngine, decide } from 'tessera-onnx'
import { mkdir, writeFile } from 'node:fs/promises'
const aborted = decide({ state: 'x', questions }, { signal: AbortSignal.abort() })
await assert.rejects(aborted, { name: 'AbortError' })
await mkdir('broken', { recursive: true })
await writeFile('broken/config.json', '{}')
const engine = await createEngine({ models: { 'decide-latest': './broken' } })
const error = await engine.decide({ state: 'x', questions }).catch((thrown) => thrown)
assert.equal(error.code, 'model_format')
assert.match(error.stack, /errors-say-where/)
await engine.dispose()`,
  ),
  program(
    'pictures as files and bytes',
    `import { editImage, generateImage, toBytes, writeImage } from 'tessera-onnx'
import { readFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
const { data, warnings } = await generateImage({ prompt: 'an apple on a blue background', size: '256x256', seed: 7 })
assert.equal(warnings, undefined)
await writeImage('apple.png', data[0])
const bytes = await readFile('apple.png')
assert.deepEqual(Buffer.from(toBytes(data[0])), bytes)
const edited = []
for (const image of [bytes, new Blob([bytes]), pathToFileURL('apple.png'), data[0].b64_json]) {
  const answer = await editImage({ prompt: 'change the background to yellow', image }, { seed: 1 })
  edited.push(answer.data[0].b64_json)
}
assert.equal(new Set(edited).size, 1)
const { warnings: [unknown] } = await generateImage({ prompt: 'a woman riding a lighthouse', size: '256x256' })
assert.match(unknown.message, /not woman, riding, lighthouse/)`,
  ),
  {
    name: 'tessera-onnx decide --each',
    files: { 'rows.csv': 'subject\nCharged twice\nWhere is my parcel?\n', 'q.json': QUESTIONS },
    runs: [[CLI, 'decide', '--each', 'rows.csv', '--questions', 'q.json']],
    prints: /^\{"row":0,.*"angry".*\n\{"row":1,.*"angry"/,
  },
  program(
    'tessera-onnx, mistyped',
    `import { spawnSync } from 'node:child_process'
const run = (...args) => spawnSync(process.execPath, ['${CLI}', ...args], { encoding: 'utf8' })
assert.match(run('genrate', 'x').stderr, /generate may be meant/)
assert.match(run('generate', 'a', 'red', 'apple').stderr, /put them in quotes/)
assert.equal(JSON.parse(run('models', '--nothing', '--json').stdout).error.code, 'invalid_request')
assert.equal(run().stdout, run('help').stdout)`,
  ),
  {
    name: 'Jest',
    packages: ['jest'],
    files: {
      'parcel.test.js': `test('answers', async () => {
  const { decide } = await import('tessera-onnx')
  const { answers } = await decide({ state: 'Where is my parcel?', questions: ${QUESTIONS} })
  expect(answers.angry.noul).toBeLessThan(1)
}, 60000)`,
    },
    // As docs/troubleshooting.md has it: Jest's modules, and a variable that no code under Jest can set.
    env: { ORT_DISABLE_TELEMETRY: '1' },
    runs: [['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--json']],
    prints: /"numPassedTests":1/,
  },
]
