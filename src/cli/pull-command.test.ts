import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from 'citty'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { fixtureFolder } from '../../test/helpers/language-model-fixture.ts'
import { startFakeHub } from '../models/pull/test-support/fake-hub.ts'
import { pullCommand } from './pull-command.ts'

let work: string
let lines: string[]
beforeEach(async () => {
  work = await mkdtemp(join(tmpdir(), 'tessera-pull-'))
  lines = []
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => lines.push(String(line)) > 0)
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
})
afterEach(async () => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  process.exitCode = undefined
  await rm(work, { recursive: true })
})

it.each([
  ['int8', { bits: 8, block_size: 128 }],
  ['int4', { bits: 4, block_size: 32 }],
  ['int8-rows', { bits: 8, block_size: 'row' }],
])('makes a copy in %s, and says which file it quantises', async (format, stored) => {
  const folder = fixtureFolder('qwen3-mha-tied')
  const names = ['config.json', 'model.safetensors']
  const files = await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const))
  await using hub = await startFakeHub(Object.fromEntries(files))
  vi.stubEnv('HF_ENDPOINT', hub.url)
  const out = join(work, 'copy')
  await runCommand(pullCommand, { rawArgs: ['owner/model', '--quantize', format, '--out', out] })
  expect(lines.join('')).toContain('model.safetensors: quantising\n')
  expect(JSON.parse(await readFile(join(out, 'config.json'), 'utf8'))).toMatchObject({ quantization_config: stored })
  expect(await readdir(work)).toEqual(['copy'])
})

it.each([
  [['--quantize', 'int3'], '--quantize: expected int8, int4, int8-rows, got'],
  [['--out', 'here'], '--out: is for --quantize'],
  [['--quantize', 'int8', '--without', 'vae'], '--without: makes no sense'],
])('refuses %s', async (args, message) => {
  await runCommand(pullCommand, { rawArgs: ['owner/model', ...args] })
  expect(lines.join('')).toContain(message)
  expect(process.exitCode).toBe(2)
})
