import { spawn } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, it, vi } from 'vitest'
import { killGroup } from '../../../test/helpers/kill-group.ts'
import { fixtureFolder } from '../../../test/helpers/language-model-fixture.ts'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { writeOutliers } from '../../../test/helpers/write-outliers.ts'
import { AbortedError, InvalidRequestError, ModelFormatError } from '../../errors/index.ts'
import { quantizeCheckpoint } from '../quantize/quantize-checkpoint.ts'
import { readSafetensors } from '../weights/read-safetensors.ts'
import { SafetensorsWriter } from '../weights/safetensors-writer.ts'
import type { pause } from './pause.ts'
import { pullQuantized, type PullQuantizedOptions } from './pull-quantized.ts'
import { expectSame, readFiles } from './test-support/copies.ts'
import { type FakeHub, startFakeHub } from './test-support/fake-hub.ts'

vi.mock('./pause.ts', () => ({ pause: vi.fn<typeof pause>(() => Promise.resolve()) }))

const SHARDS = 6
const ROWS = 1000
const WIDTH = 200

let work: string
beforeEach(() => void (work = temporaryFolder()))

const shardName = (index: number) => `model-0000${index + 1}-of-0000${SHARDS}.safetensors`

/** A checkpoint of six files of 800 kB each, with one matrix and one norm in each. */
async function writeShards(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await cp(join(fixtureFolder('qwen3-mha-tied'), 'config.json'), join(folder, 'config.json'))
  await writeFile(join(folder, 'tokenizer.json'), '{}')
  const map: Record<string, string> = {}
  for (let index = 0; index < SHARDS; index++) {
    const [matrix, norm] = [`model.layers.${index}.mlp.up_proj.weight`, `model.layers.${index}.input_layernorm.weight`]
    const plans = [
      { name: matrix, dtype: 'F32', shape: [ROWS, WIDTH] },
      { name: norm, dtype: 'F32', shape: [WIDTH] },
    ] as const
    const writer = await SafetensorsWriter.create(join(folder, shardName(index)), plans, {})
    await writer.append(
      matrix,
      Float32Array.from({ length: ROWS * WIDTH }, (_, i) => Math.sin(i * (index + 1.3))),
    )
    await writer.append(norm, new Float32Array(WIDTH).fill(index))
    await writer.close()
    for (const name of [matrix, norm]) map[name] = shardName(index)
  }
  await writeFile(join(folder, 'model.safetensors.index.json'), JSON.stringify({ weight_map: map }))
}

async function startHub(): Promise<FakeHub> {
  await writeShards(join(work, 'original'))
  return startFakeHub(await readFiles(join(work, 'original')))
}

const out = () => join(work, 'copy', 'int8')
const pull = (hub: FakeHub, more: Partial<PullQuantizedOptions> = {}) =>
  pullQuantized({ id: 'owner/model', out: out(), bits: 8, blockSize: 32, env: { HF_ENDPOINT: hub.url }, ...more })

/** The copy has the tensors that quantising the whole checkpoint gives, byte for byte. */
async function expectRight(
  original = join(work, 'original'),
  made = out(),
  blockSize: PullQuantizedOptions['blockSize'] = 32,
): Promise<void> {
  const whole = join(work, 'whole')
  await rm(whole, { recursive: true, force: true })
  await quantizeCheckpoint({ folder: original, out: whole, bits: 8, blockSize })
  const [expected, found] = await Promise.all([readSafetensors(whole), readSafetensors(made)])
  expect(found.names.toSorted()).toEqual(expected.names.toSorted())
  for (const name of expected.names) expectSame(name, found, expected)
  const config = async (folder: string): Promise<unknown> =>
    JSON.parse(await readFile(join(folder, 'config.json'), 'utf8'))
  expect(await config(made)).toEqual(await config(whole))
}

/** Bytes of all files below a folder now. */
function weigh(folder: string): number {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return paths.reduce((sum, path) => sum + (statSync(join(folder, path), { throwIfNoEntry: false })?.size ?? 0), 0)
}

it('needs the disk for the copy and one file of weights, and makes what quantising the whole makes', async () => {
  await using hub = await startHub()
  let most = 0
  const look = () => void (most = Math.max(most, weigh(dirname(out()))))
  const done: number[] = []
  const seen: string[] = []
  await pull(hub, {
    onProgress: (progress) => {
      look()
      done.push(progress.done / progress.total)
    },
    onQuantize: (file) => {
      look()
      seen.push(file)
    },
  })
  await expectRight()
  expect(await readdir(dirname(out()))).toEqual(['int8'])
  expect((await readdir(out())).toSorted()).toEqual(
    ['config.json', 'model.safetensors.index.json', 'tokenizer.json', ...seen].toSorted(),
  )
  expect(seen).toEqual(Array.from({ length: SHARDS }, (_, index) => shardName(index)))
  const shard = statSync(join(work, 'original', shardName(0))).size
  // Texts are there twice until the end, and folders have sizes too.
  const others = 40_000
  expect(most).toBeGreaterThan(shard)
  expect(most).toBeLessThan(weigh(out()) + shard + others)
  expect(most).toBeLessThan(0.5 * SHARDS * shard)
  expect(done.at(-1)).toBe(1)
  expect(done).toEqual(done.toSorted((a, b) => a - b))
})

it('goes on after a process that was killed: finished files are not fetched again, the begun one is continued', async () => {
  await using hub = await startHub()
  for (let index = 2; index < SHARDS; index++) hub.slow(shardName(index))
  const script = fileURLToPath(new URL('./test-support/pull-quantized-script.ts', import.meta.url))
  const runner = fileURLToPath(new URL('../../../scripts/run-ts.mjs', import.meta.url))
  const env = { ...process.env, HF_ENDPOINT: hub.url }
  const args = [runner, script, out()]
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  // In the third file, of which at least a part has arrived.
  const begun = 2 * statSync(join(work, 'original', shardName(0))).size + 50_000
  await new Promise<void>((resolve) =>
    child.stdout.on('data', (text: Buffer) => {
      const last = String(text).trim().split('\n').at(-1)!.split(' ')
      if (Number(last[1]) > begun) resolve()
    }),
  )
  killGroup(child)
  const before = hub.downloads.length
  expect(await readdir(dirname(out()))).toContain('int8.partial')
  await pull(hub)
  await expectRight()
  expect(await readdir(dirname(out()))).toEqual(['int8'])
  const again = hub.downloads.slice(before).filter((file) => file.startsWith('model-'))
  expect(again[0]).toMatch(/^model-00003-of-00006\.safetensors [1-9]\d*$/)
  expect(again.slice(1)).toEqual([3, 4, 5].map((index) => `${shardName(index)} -`))
})

it('stops on an abort and keeps what it has', async () => {
  await using hub = await startHub()
  const cause = new Error('stopped by SIGINT')
  const controller = new AbortController()
  const stopped = pull(hub, {
    signal: controller.signal,
    threads: 2,
    onQuantize: (file) => file === shardName(1) && controller.abort(cause),
  })
  await expect(stopped).rejects.toMatchObject({ code: AbortedError.code, cause })
  const before = hub.downloads.length
  await pull(hub)
  await expectRight()
  expect(hub.downloads.slice(before)).toEqual([2, 3, 4, 5].map((index) => `${shardName(index)} -`))
})

it('says which matrices stayed in blocks, of files that a process before it has finished too', async () => {
  await writeShards(join(work, 'original'))
  const rough = [0, 4].map((index) => `model.layers.${index}.mlp.up_proj.weight`)
  for (const name of rough) await writeOutliers(join(work, 'original'), name, 100)
  await using hub = await startFakeHub(await readFiles(join(work, 'original')))
  const controller = new AbortController()
  const onQuantize = (file: string) => file === shardName(1) && controller.abort()
  const stopped = pull(hub, { blockSize: 'row', signal: controller.signal, onQuantize })
  await expect(stopped).rejects.toThrow(AbortedError)
  const seen: string[] = []
  await pull(hub, { blockSize: 'row', onRough: (names) => seen.push(...names) })
  expect(seen).toEqual(rough)
  await expectRight(join(work, 'original'), out(), 'row')
})

it('that waited for another one of the same folder is refused, and fetches nothing', async () => {
  await using hub = await startHub()
  const onWait = vi.fn<() => void>()
  const settled = await Promise.allSettled([pull(hub, { onWait }), pull(hub, { onWait })])
  expect(onWait).toHaveBeenCalledTimes(1)
  expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(settled.find(({ status }) => status === 'rejected')).toMatchObject({
    reason: { code: 'invalid_request', path: 'out', message: expect.stringContaining('exists') },
  })
  const fetched = hub.downloads.filter((file) => file.startsWith('model-'))
  expect(fetched.toSorted()).toEqual(Array.from({ length: SHARDS }, (_, index) => `${shardName(index)} -`))
  await expectRight()
  expect(await readdir(dirname(out()))).toEqual(['int8'])
})

it('does not mix what was begun with something else', async () => {
  await using hub = await startHub()
  const controller = new AbortController()
  const stopped = pull(hub, { signal: controller.signal, onQuantize: () => controller.abort() })
  await expect(stopped).rejects.toThrow(AbortedError)
  const other = pull(hub, { bits: 4 })
  await expect(other).rejects.toThrow(InvalidRequestError)
  await expect(other).rejects.toThrow(/unfinished pull of owner\/model@main in 8 bits.*not of.*in 4 bits/)
})

it('leaves nothing of a model that is quantised already', async () => {
  await writeShards(join(work, 'original'))
  await quantizeCheckpoint({ folder: join(work, 'original'), out: join(work, 'quantised'), bits: 8, blockSize: 32 })
  await using hub = await startFakeHub(await readFiles(join(work, 'quantised')))
  await expect(pull(hub)).rejects.toThrow(/quanti/)
  expect(await readdir(dirname(out()))).toEqual([])
})

it('removes what a process that was killed in its last step has left beside the copy', async () => {
  await using hub = await startHub()
  await pull(hub)
  await mkdir(join(`${out()}.partial`, 'source'), { recursive: true })
  await expect(pull(hub)).rejects.toThrow(/exists/)
  expect((await readdir(dirname(out()))).filter((name) => name.includes('.partial'))).toEqual([])
})

it('refuses what it cannot quantise with the reason', async () => {
  await using hub = await startFakeHub({ 'config.json': '{"architectures":["Other"]}', 'model.safetensors': 'x' })
  await expect(pull(hub)).rejects.toThrow(ModelFormatError)
  await expect(pull(hub, { id: 'owner/model:Q4_K_M' })).rejects.toThrow(/GGUF files are pulled whole/)
  await expect(pull(hub, { env: { HF_HUB_OFFLINE: '1' } })).rejects.toThrow(
    /HF_HUB_OFFLINE is 1.*npx tessera-onnx quantize/,
  )
  await expect(pull(hub, { out: work })).rejects.toThrow(/exists/)
  expect(hub.downloads.filter((file) => file.startsWith('model.safetensors'))).toEqual([])
})
