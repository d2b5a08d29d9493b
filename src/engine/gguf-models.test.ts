import { copyFile, mkdir, readdir, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { cpuBackend } from '../../test/helpers/cpu-backend.ts'
import { temporaryFolder } from '../../test/helpers/temporary-folder.ts'
import { openModel, quantizeWeights, unpackWeights, weighModel } from '../models/index.ts'
import { createEngine } from './index.ts'
import { createTaskSource } from './worker/task-source.ts'

const FIXTURE = fileURLToPath(new URL('../../test/fixtures/gguf/llama.gguf', import.meta.url))
const REQUEST = {
  state: 'hello world',
  questions: { q: { type: 'choice', criteria: { a: 'one', b: 'two' } } },
} as const
const NEVER = new AbortController().signal

let work: string
let path: string
beforeEach(async () => {
  work = temporaryFolder()
  path = join(work, 'tiny.gguf')
  await copyFile(FIXTURE, path)
  process.env['TESSERA_CACHE'] = join(work, 'cache')
})
afterEach(async () => {
  delete process.env['TESSERA_CACHE']
})

const unpack = async (signal = NEVER, env: Record<string, string | undefined> = process.env) =>
  unpackWeights((await openModel(path).made!())!, path, signal, env)
const unpacked = async () =>
  (await readdir(join(work, 'cache'), { recursive: true })).filter((name) => name.endsWith('tensors'))

it('a GGUF file answers where a folder would, and counts tokens without being unpacked', async () => {
  await using engine = await createEngine({ backend: 'cpu', threads: 1, models: { 'decide-latest': path } })
  const { input_tokens } = await engine.countTokens(REQUEST)
  await expect(unpacked()).rejects.toThrow('ENOENT')
  const { answers, usage, model } = await engine.decide(REQUEST)
  expect(Object.keys(answers['q']!.probabilities)).toEqual(['a', 'b'])
  expect(usage.input_tokens).toBe(input_tokens)
  expect(model).toBe('tiny')
  expect(await unpacked()).toHaveLength(1)
})

it('a GGUF file whose texts begin with a blank answers all kinds of questions', async () => {
  const models = { 'decide-latest': fileURLToPath(new URL('../../test/fixtures/gguf/llama2.gguf', import.meta.url)) }
  await using engine = await createEngine({ backend: 'cpu', threads: 1, models })
  const questions = {
    ...REQUEST.questions,
    sure: { type: 'noul', instructions: 'Is it?' },
    bad: { type: 'score', instructions: 'How bad?', criteria: ['fine', 'bad'] },
  } as const
  const { answers } = await engine.decide({ ...REQUEST, questions })
  expect(answers.sure.noul).toBeGreaterThan(0)
  expect(Object.values(answers.q.probabilities).reduce((sum, share) => sum + share)).toBeCloseTo(1, 9)
  expect(Object.values(answers.bad.probabilities).reduce((sum, share) => sum + share)).toBeCloseTo(1, 9)
})

it('a request cannot name a file', async () => {
  await using engine = await createEngine({ backend: 'cpu', threads: 1 })
  const { model } = await engine.decide({ ...REQUEST, model: path })
  expect(model).toBe('decide-mini')
  const source = createTaskSource({ models: {}, backend: 'cpu', keepAlive: 0, memoryBudget: 0 })
  expect(source.nameOf(path, 'decide-latest')).toBe('decide-latest')
})

it('a request names one of a pulled repository, or a model by its short name, and gets no other', async () => {
  const snapshot = join(work, 'models--acme--tiny', 'snapshots', 'c'.repeat(40))
  await mkdir(snapshot, { recursive: true })
  for (const type of ['Q4_K_M', 'Q8_0']) await copyFile(FIXTURE, join(snapshot, `tiny-${type}.gguf`))
  vi.stubEnv('HF_HUB_CACHE', work)
  try {
    await using engine = await createEngine({ backend: 'cpu', threads: 1 })
    const ask = (model: string) => engine.decide({ ...REQUEST, model })
    expect(await ask('acme/tiny:Q4_K_M')).toMatchObject({ model: 'tiny-Q4_K_M' })
    for (const model of ['acme/tiny:Q6_K', 'acme/other:Q4_K_M', 'julia-1']) {
      const command = `npx tessera-onnx pull ${model}`
      await expect(ask(model)).rejects.toMatchObject({ code: 'model_not_found', model, command })
    }
    // Other services write tags behind names that have no owner.
    expect(await ask('llama3:8b')).toMatchObject({ model: 'decide-mini' })
  } finally {
    vi.unstubAllEnvs()
  }
})

it('a name that fits no model of a repository, or several, is not found: trying it again changes nothing', async () => {
  const snapshot = join(work, 'models--acme--tiny', 'snapshots', 'c'.repeat(40))
  await mkdir(snapshot, { recursive: true })
  const parts = [1, 2].map((part) => `tiny-BF16-0000${part}-of-00002.gguf`)
  const models = ['tiny-Q4_0.gguf', 'tiny-Q4_K_M.gguf', 'tiny-Q4_K_S.gguf']
  for (const file of [...models, ...parts, 'mmproj-tiny.gguf']) await copyFile(FIXTURE, join(snapshot, file))
  vi.stubEnv('HF_HUB_CACHE', work)
  try {
    await using engine = await createEngine({ backend: 'cpu', threads: 1 })
    const ask = (model: string) => engine.decide({ ...REQUEST, model })
    for (const model of ['acme/tiny:mmproj', 'acme/tiny:00002-of', 'acme/tiny:Q6_K']) {
      const command = `npx tessera-onnx pull ${model}`
      await expect(ask(model)).rejects.toMatchObject({ code: 'model_not_found', model, command })
    }
    await expect(ask('acme/tiny:q4_k')).rejects.toMatchObject({
      code: 'model_not_found',
      model: 'acme/tiny:q4_k',
      tried: ['GGUF files of acme/tiny, of which it fits tiny-Q4_K_M.gguf, tiny-Q4_K_S.gguf'],
      command: 'the same with acme/tiny:tiny-Q4_K_M.gguf, or another of them',
    })
    await expect(ask('acme/tiny')).rejects.toMatchObject({
      code: 'model_not_found',
      tried: [`GGUF files of acme/tiny, of which it fits ${parts[0]}, tiny-Q4_0.gguf, tiny-Q4_K_M.gguf and 1 more`],
    })
    expect(await ask('acme/tiny:tiny-q4_0.gguf')).toMatchObject({ model: 'tiny-Q4_0' })
  } finally {
    vi.unstubAllEnvs()
  }
})

it('one of a repository that needs too much memory is named as the command takes it that makes it fit', async () => {
  const snapshot = join(work, 'models--acme--tiny', 'snapshots', 'c'.repeat(40))
  await mkdir(join(snapshot, 'F16'), { recursive: true })
  for (const file of ['tiny-Q8_0.gguf', join('F16', 'tiny.gguf')]) await copyFile(FIXTURE, join(snapshot, file))
  vi.stubEnv('HF_HUB_CACHE', work)
  try {
    const source = createTaskSource({ models: {}, backend: 'cpu', keepAlive: 0, memoryBudget: 0 })
    const prediction = { open: 1e18, working: 0, needed: 1e18, quantized: { 8: 1e6, 4: 1e6 } }
    const remedyOf = async (name: string) =>
      source.memory!.require(await source.resolve(name), prediction, 0).catch(({ remedy }) => remedy as string)
    const command = 'Run: npx tessera-onnx quantize acme/tiny'
    expect(await remedyOf('acme/tiny:q8')).toContain(`${command}:tiny-Q8_0.gguf tiny-tiny-Q8_0.gguf-int8 --bits 8`)
    expect(await remedyOf('acme/tiny:f16')).toContain(`${command}:F16/tiny.gguf tiny.gguf-int8 --bits 8`)
  } finally {
    vi.unstubAllEnvs()
  }
})

it('one file has one id however requests spell its name, and as the options have it where they name it', async () => {
  const snapshot = join(work, 'models--acme--tiny', 'snapshots', 'c'.repeat(40))
  await mkdir(join(snapshot, 'Q8'), { recursive: true })
  for (const file of ['tiny-Q4_K_M.gguf', join('Q8', 'tiny-Q8_0.gguf')]) await copyFile(FIXTURE, join(snapshot, file))
  vi.stubEnv('HF_HUB_CACHE', work)
  try {
    const models = { mine: 'acme/tiny:q8' }
    await using engine = await createEngine({ backend: 'cpu', threads: 1, models })
    const idsOf = async (names: readonly string[]) => {
      const told = new Set<string>()
      for (const model of names)
        await engine.decide({ ...REQUEST, model }, { onTimings: (timings) => told.add(timings.model) })
      return [...told]
    }
    const spellings = ['acme/tiny:Q4_K_M', 'acme/tiny:q4', 'acme/tiny:4_k', 'acme/tiny:tiny-q4_k_m.GGUF']
    expect(await idsOf(spellings)).toEqual(['acme/tiny:tiny-Q4_K_M.gguf'])
    expect(await idsOf(['acme/tiny:Q8_0', 'acme/tiny:Q8/t'])).toEqual(['acme/tiny:Q8/tiny-Q8_0.gguf'])
    expect(await idsOf(['mine', 'acme/tiny:q8'])).toEqual(['acme/tiny:q8'])
    expect((await engine.models()).find(({ name }) => name === 'mine')).toMatchObject({ id: 'acme/tiny:q8' })
    expect(engine.activity().models.map(({ id }) => id)).toEqual([
      'acme/tiny:tiny-Q4_K_M.gguf',
      'acme/tiny:Q8/tiny-Q8_0.gguf',
    ])
  } finally {
    vi.unstubAllEnvs()
  }
})

it('is unpacked once, anew when it changed, and what it was before is removed', async () => {
  const first = await unpack()
  const { mtimeMs, size } = await stat(join(first, 'model.safetensors'))
  expect(size).toBe(await weighModel(path))
  expect(await unpack()).toBe(first)
  expect((await stat(join(first, 'model.safetensors'))).mtimeMs).toBe(mtimeMs)
  await utimes(path, 1, 1)
  const second = await unpack()
  expect(second).not.toBe(first)
  expect(await unpacked()).toHaveLength(1)
  const both = await Promise.all([unpack(), unpack()])
  expect(both).toEqual([second, second])
})

it('leaves nothing behind where it is stopped, and says what it cannot write', async () => {
  await expect(unpack(AbortSignal.abort())).rejects.toMatchObject({ code: 'aborted' })
  expect(await unpacked()).toEqual([])
  await writeFile(join(work, 'file'), '')
  const env = { TESSERA_CACHE: join(work, 'file') }
  await expect(unpack(NEVER, env)).rejects.toMatchObject({
    code: 'model_format',
    expected: expect.stringMatching(/^a folder for \d+ bytes of unpacked weights \(TESSERA_CACHE\)$/),
  })
})

it('quantises into a folder that answers as the file does', async () => {
  const out = join(work, 'rows')
  await quantizeWeights({ folder: path, out, bits: 8, blockSize: 32 })
  await using engine = await createEngine({ backend: 'cpu', threads: 1, models: { 'decide-latest': path, mine: out } })
  const [file, folder] = [await engine.decide(REQUEST), await engine.decide({ ...REQUEST, model: 'mine' })]
  const [wanted, got] = [file, folder].map(({ answers }) => Object.values(answers['q']!.probabilities) as number[])
  for (const [i, value] of wanted!.entries()) expect(got![i]).toBeCloseTo(value, 1)
})

it('an architecture that nobody knows is refused by name', async () => {
  const { readFile } = await import('node:fs/promises')
  const bytes = await readFile(path)
  const at = bytes.indexOf('llama', bytes.indexOf('general.architecture'))
  bytes.write('mamba', at)
  await writeFile(path, bytes)
  const backend = await cpuBackend()
  const source = createTaskSource({ models: { mine: path }, backend: 'cpu', keepAlive: 0, memoryBudget: 0 })
  const opened = source.open(await source.resolve('mine'), backend, { signal: NEVER, onProgress: () => {} })
  await expect(opened).rejects.toMatchObject({ code: 'model_format', got: 'mamba' })
})
