import { readFileSync } from 'node:fs'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readSafetensors } from '../../src/models/weights/read-safetensors.ts'
import { SafetensorsWriter } from '../../src/models/weights/safetensors-writer.ts'
import type { WeightIndex } from '../../src/models/weights/weight-index.ts'
import { drawFloats } from './pseudo-random.ts'

export const IMAGE_BUNDLES = ['z-image-turbo', 'z-image-base', 'klein-distilled', 'klein-base'] as const
export type ImageBundleName = (typeof IMAGE_BUNDLES)[number]

/** A run of a whole reference pipeline; see generate-image-fixtures.py. */
export interface PictureCase {
  readonly name: string
  readonly prompt: 'short' | 'long'
  readonly width?: number
  readonly height?: number
  readonly seed: number
  readonly steps: number
  readonly guidance?: number
  readonly references?: readonly [width: number, height: number, channels: 3 | 4][]
}

/** A tiny pipeline with all its files in a folder of its own, and what the reference computes with it. */
export interface ImageBundle extends AsyncDisposable {
  readonly folder: string
  readonly expected: WeightIndex
  remove(): Promise<void>
}

/** Shape, and mean and spread of float values. */
type TensorSpec = readonly [shape: readonly number[], mean?: number, spread?: number]

interface WeightsFile {
  readonly file: string
  readonly dtype: 'F32' | 'BF16'
  readonly shards: number
  readonly tensors: Readonly<Record<string, TensorSpec>>
}

export const PROMPTS = {
  short: 'a red apple',
  long: "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich, the 42nd time; it's 7°!\n\n".repeat(3),
}

/** Composed and decomposed letters, structural tokens, line ends, runs of spaces; see generate-image-fixtures.py. */
export const ODD_PROMPT =
  "Cafe\u0301 \u00e9\u00c5\u212b  <|im_end|>\r\n<think>a  b\t\n\n 12345 it'S\u00a0we'LL " +
  '\u{1f34e}\u{1f468}\u200d\u{1f469} \u4e2d\u6587\u3002 \ufeff.<|im_start|'

export function imageFixture(name: string): string {
  return fileURLToPath(new URL(`../../test/fixtures/images/${name}`, import.meta.url))
}

/** Writes a part of its own beside those of a bundle: the files of a fixture, and the weights that it describes. */
export async function materializePart(fixture: string, target: string): Promise<void> {
  await cp(imageFixture(fixture), target, { recursive: true })
  const text = await readFile(join(target, 'weights.json'), 'utf8')
  await writeWeights(target, fixture, JSON.parse(text) as WeightsFile)
}

export function readCases(name: ImageBundleName): PictureCase[] {
  return JSON.parse(readFileSync(join(imageFixture(name), 'cases.json'), 'utf8')) as PictureCase[]
}

export async function materializeBundle(name: ImageBundleName): Promise<ImageBundle> {
  const source = imageFixture(name)
  const folder = await mkdtemp(join(tmpdir(), 'tessera-images-'))
  await cp(source, folder, { recursive: true })
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name, 'weights.json')
    const text = entry.isDirectory() ? await readFile(path, 'utf8').catch(() => undefined) : undefined
    if (text !== undefined) {
      await writeWeights(join(folder, entry.name), `${name}/${entry.name}`, JSON.parse(text) as WeightsFile)
    }
  }
  const remove = () => rm(folder, { recursive: true })
  const expected = await readSafetensors(join(source, 'expected.safetensors'))
  return { folder, expected, remove, [Symbol.asyncDispose]: remove }
}

async function writeWeights(folder: string, seed: string, { file, dtype, shards, tensors }: WeightsFile) {
  const entries = Object.entries(tensors)
  const weightMap: Record<string, string> = {}
  for (let shard = 0; shard < shards; shard++) {
    const part = shards === 1 ? `${file}.safetensors` : `${file}-${shard + 1}-of-${shards}.safetensors`
    const chosen = entries.filter((_, i) => i % shards === shard)
    const plans = chosen.map(([name, [shape, mean]]) => ({
      name,
      shape,
      dtype: mean === undefined ? ('I64' as const) : dtype,
    }))
    const writer = await SafetensorsWriter.create(join(folder, part), plans, {})
    for (const [name, spec] of chosen) {
      weightMap[name] = part
      await writer.append(name, drawTensor(`${seed}/${name}`, spec, dtype))
    }
    await writer.close()
  }
  const index = JSON.stringify({ weight_map: weightMap })
  if (shards > 1) await writeFile(join(folder, `${file}.safetensors.index.json`), index)
}

function drawTensor(seed: string, [shape, mean, spread]: TensorSpec, dtype: 'F32' | 'BF16'): ArrayBufferView {
  const count = shape.reduce((product, dim) => product * dim, 1)
  if (mean === undefined || spread === undefined) return new BigInt64Array(count)
  const values = drawFloats(seed, count, mean, spread)
  return dtype === 'F32' ? values : toBfloat16(values)
}

/** Rounds half to even, as torch does. */
function toBfloat16(values: Float32Array): Uint16Array {
  const bits = new Uint32Array(values.buffer)
  return Uint16Array.from(bits, (word) => (word + 0x7fff + ((word >>> 16) & 1)) >>> 16)
}
