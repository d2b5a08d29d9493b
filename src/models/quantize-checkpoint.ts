import { randomUUID } from 'node:crypto'
import { cp, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { AbortedError, InvalidRequestError, ModelFormatError } from '../errors/index.ts'
import { exists } from './exists.ts'
import { PIPELINE_PARTS } from './pipeline-parts.ts'
import { quantizeWeights, type QuantizeWeightsOptions } from './quantize-weights.ts'

const QUANTIZED = PIPELINE_PARTS.filter(({ quantised }) => quantised).map(({ folder }) => folder)

/**
 * Writes a copy of a language model, or of a pipeline in diffusers layout, with its matrices in 4 or 8 bits.
 *
 * @throws as `quantizeWeights`
 */
export async function quantizeCheckpoint(options: QuantizeWeightsOptions): Promise<void> {
  if (!(await exists(join(options.folder, 'model_index.json')))) return quantizeWeights(options)
  const out = resolve(options.out)
  if (await exists(out)) throw new InvalidRequestError('out', `${out} exists; remove it or choose another folder`)
  const within = relative(resolve(options.folder), out)
  // The relative path from one drive to another is an absolute one.
  if (!within.startsWith('..') && !isAbsolute(within))
    throw new InvalidRequestError('out', `${out} must not be inside the checkpoint`)
  for (const part of QUANTIZED) {
    const folder = join(options.folder, part)
    if (!(await exists(folder))) throw new ModelFormatError(folder, 'a part of the pipeline', 'no such folder')
  }
  const partial = `${out}.partial-${randomUUID()}`
  await mkdir(partial, { recursive: true })
  try {
    await writeParts(partial, options)
    await rename(partial, out)
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    throw error
  }
}

async function writeParts(partial: string, { folder, onProgress, ...options }: QuantizeWeightsOptions): Promise<void> {
  for (const name of await readdir(folder)) {
    const from = join(folder, name)
    // Hub caches hold links, which would point nowhere from a copy.
    if (!isQuantized(name)) await cp(from, join(partial, name), { recursive: true, dereference: true })
    if (options.signal?.aborted) throw new AbortedError(undefined, { cause: options.signal.reason })
  }
  const sizes = await Promise.all(QUANTIZED.map((part) => sizeOf(join(folder, part))))
  const total = sizes.reduce((sum, size) => sum + size, 0)
  let before = 0
  for (const [index, part] of QUANTIZED.entries()) {
    await quantizeWeights({
      ...options,
      folder: join(folder, part),
      out: join(partial, part),
      onProgress: ({ done }) => onProgress?.({ stage: 'quantize', done: before + done, total }),
    })
    before += sizes[index]!
    onProgress?.({ stage: 'quantize', done: before, total })
  }
}

function isQuantized(name: string): boolean {
  return QUANTIZED.some((part) => part === name)
}

/** Bytes of the weight files of a part; their headers, a few thousandths, are in it. */
async function sizeOf(folder: string): Promise<number> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.safetensors'))
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}
