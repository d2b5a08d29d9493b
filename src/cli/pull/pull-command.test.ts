import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { fixtureFolder } from '../../../test/helpers/language-model-fixture.ts'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { bundleWorker } from '../../engine/test-support/bundle-worker.ts'
import { startFakeHub } from '../../models/pull/test-support/fake-hub.ts'
import { runTessera } from '../test-support/run-tessera.ts'

let work: string
beforeEach(() => void (work = temporaryFolder()))
afterEach(async () => {
  vi.unstubAllEnvs()
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
  const { stdout, stderr } = await runTessera('pull', 'owner/model', '--quantize', format, '--out', out)
  expect(stderr).toContain('model.safetensors: quantising\n')
  expect(stdout.includes('no channels are smoothed')).toBe(format === 'int8-rows')
  expect(JSON.parse(await readFile(join(out, 'config.json'), 'utf8'))).toMatchObject({ quantization_config: stored })
  expect(await readdir(work)).toEqual(['copy'])
})

it.each([
  [['--quantize', 'int3'], '--quantize: expected int8, int4, int8-rows, got'],
  [['--out', 'here'], '--out: is for --quantize'],
  [['--quantize', 'int8', '--without', 'vae'], '--without: makes no sense'],
])('refuses %s', async (args, message) => {
  const { code, stderr } = await runTessera('pull', 'owner/model', ...args)
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
})

it.each([
  ['./my-model', './my-model'],
  ['../models/tiny.gguf', '../models/tiny.gguf'],
  // A name that is a folder here.
  ['src', './src'],
])('says that %s, which is on this machine, needs no pull', async (model, path) => {
  const { code, stderr } = await runTessera('pull', model)
  expect(stderr).toContain(
    `model: must be <owner>/<name> on the hub, got the path ${path}; what is on this machine needs no pull: --use ${path} runs it, and npx tessera-onnx quantize ${path} out makes a copy in fewer bits\n`,
  )
  expect(code).toBe(2)
})

it('ends on Ctrl-C, and goes on where it was when it is called again', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `part-${index}.safetensors`)
  const weights = Object.fromEntries(names.map((name) => [name, Buffer.alloc(100_000, name)]))
  await using hub = await startFakeHub({ 'config.json': '{}', ...weights })
  for (const name of names) hub.slow(name)
  const cli = fileURLToPath(await bundleWorker('src/cli/main.ts', 'cli-pull'))
  const env = { ...process.env, HF_ENDPOINT: hub.url, HF_HOME: work, NO_COLOR: '1' }
  const pull = () => spawn(process.execPath, [cli, 'pull', 'owner/model'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const first = pull()
  await vi.waitUntil(() => hub.downloads.length > 3, { timeout: 30_000 })
  first.kill('SIGINT')
  const said = await text(first.stderr)
  expect(said).toContain('stopped by SIGINT')
  expect(said).not.toMatch(/^ +at /m)
  expect(first.exitCode ?? (await once(first, 'exit'))[0]).toBe(130)

  const before = hub.downloads.length
  const second = pull()
  expect(await text(second.stdout)).toContain('pulled owner/model')
  // Two were whole already, and of the one that was stopped only the rest may be missing.
  expect(hub.downloads.length - before).toBeLessThanOrEqual(names.length - 2)
}, 60_000)
