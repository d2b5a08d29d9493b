import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { materializeBundle } from '../../../test/helpers/image-bundle.ts'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { writeTinyBundle } from '../../../test/helpers/tiny-bundle.ts'
import { createEngine } from '../../engine/index.ts'
import { runTessera } from '../test-support/run-tessera.ts'

it.each([
  ['32', 32],
  ['row', 'row'],
])('writes a bundle that answers nearly as the float one does, --block %s', async (block, size) => {
  const folder = await writeTinyBundle()
  const out = join(temporaryFolder(), 'tiny-int8')
  await runTessera('quantize', folder, out, '--block', block)
  expect(JSON.parse(await readFile(join(out, 'config.json'), 'utf8'))).toMatchObject({
    quantization_config: {
      quant_method: 'tessera',
      bits: 8,
      block_size: size,
      ...(size === 'row' && { smoothed: true }),
    },
  })
  const answers = await Promise.all(
    [folder, out].map(async (model) => {
      await using engine = await createEngine({ models: { 'decide-latest': model }, worker: false, threads: 1 })
      const response = await engine.decide({
        state: 'late again',
        questions: { late: { type: 'noul', instructions: 'Is it late?' } },
      })
      return response.answers.late.noul
    }),
  )
  expect(answers[0]).not.toBe(answers[1])
  expect(Math.abs((answers[0] as number) - (answers[1] as number))).toBeLessThan(0.1)
})

it('smooths the text encoder of a pipeline before it becomes rows, and says so', async () => {
  await using bundle = await materializeBundle('z-image-base')
  const out = `${bundle.folder}-rows`
  const { stdout } = await runTessera('quantize', bundle.folder, out, '--block', 'row')
  expect(stdout).toMatch(/channels behind \d+ norms are smoothed/)
  const [encoder, transformer] = await Promise.all(
    ['text_encoder', 'transformer'].map((part) => readFile(join(out, part, 'config.json'), 'utf8')),
  )
  expect(JSON.parse(encoder!)).toMatchObject({ quantization_config: { block_size: 'row', smoothed: true } })
  expect(JSON.parse(transformer!)).toMatchObject({ quantization_config: { block_size: 'row' } })
  expect(transformer).not.toContain('smoothed')
  await rm(out, { recursive: true })
})

it('says in JSON that the folder cannot be written', async () => {
  const folder = await writeTinyBundle()
  const file = join(temporaryFolder(), 'file')
  await writeFile(file, '')
  const { stdout } = await runTessera('quantize', folder, join(file, 'out'), '--for', 'portable', '--json')
  expect(JSON.parse(stdout)).toMatchObject({
    error: {
      code: 'invalid_request',
      path: 'out',
      message: expect.stringContaining(`${join(file, 'out')} cannot be made`),
    },
  })
})

it('says that nothing else is smoothed', async () => {
  const out = join(temporaryFolder(), 'nli')
  const folder = fileURLToPath(new URL('../../../test/fixtures/nli-bert', import.meta.url))
  const { stdout } = await runTessera('quantize', folder, out, '--block', 'row')
  expect(stdout).toContain('no channels are smoothed, as only those of language models are')
})

it.each([
  ['--bits', '3'],
  ['--bits', '4', '--block', 'row'],
])('refuses a format that does not exist, %s %s %s %s', async (...format) => {
  const { code, stderr } = await runTessera('quantize', 'nothing', 'nowhere', ...format)
  expect([code, stderr]).toEqual([2, expect.stringContaining('expected 8 or 4 bits')])
})

it.each([[[]], [['--for', 'this-machine']]])(
  'takes the format that is fast here, and says why, with %j',
  async (flags) => {
    const folder = await writeTinyBundle()
    const out = join(temporaryFolder(), 'tiny')
    const { stdout } = await runTessera('quantize', folder, out, ...flags, '--json')
    const printed = JSON.parse(stdout) as { bits: number; blockSize: number | 'row'; reason: string }
    const gain = Number(/are ([\d.]+) times as fast/.exec(printed.reason)![1])
    // Of a gain that is printed as 2.0 nobody can tell.
    if (gain !== 2) expect(printed).toMatchObject({ bits: 8, blockSize: gain > 2 ? 'row' : 128 })
    expect(JSON.parse(await readFile(join(out, 'config.json'), 'utf8'))).toMatchObject({
      quantization_config: { bits: 8, block_size: printed.blockSize },
    })
  },
)

it.each([
  [['--for', 'here'], 'expected this-machine or portable'],
  [['--for', 'portable', '--bits', '4'], 'chooses the format itself'],
])('refuses %s', async (format, message) => {
  const { code, stderr } = await runTessera('quantize', 'nothing', 'nowhere', ...format)
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
})
