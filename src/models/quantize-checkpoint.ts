import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { InvalidRequestError } from '../errors/index.ts'
import { copyBesides, copyPart } from './copy-pipeline.ts'
import { exists } from './exists.ts'
import type { RoughMatrix } from './find-rough-matrices.ts'
import { isImageBundle } from './is-image-bundle.ts'
import { listParts } from './list-parts.ts'
import type { ModelFiles } from './model-files.ts'
import { openFloats } from './open-model.ts'
import { quantizeWeights, type QuantizeWeightsOptions } from './quantize-weights.ts'
import { weighFiles } from './weigh-model.ts'

/**
 * Writes a copy of a language model, or of a pipeline in diffusers layout, with its matrices in 4 or 8 bits.
 *
 * @returns the matrices that stayed in blocks of 128 because whole rows would have been too rough, those of a pipeline by folder and name
 * @throws as `quantizeWeights`
 */
export async function quantizeCheckpoint(options: QuantizeWeightsOptions): Promise<readonly RoughMatrix[]> {
  const files = openFloats(options.folder)
  if (!(await isImageBundle(files))) return quantizeWeights(options)
  const out = resolve(options.out)
  if (await exists(out)) throw new InvalidRequestError('out', `${out} exists; remove it or choose another folder`)
  const within = relative(resolve(options.folder), out)
  // The relative path from one drive to another is an absolute one.
  if (!within.startsWith('..') && !isAbsolute(within))
    throw new InvalidRequestError('out', `${out} must not be inside the checkpoint`)
  const partial = `${out}.partial-${randomUUID()}`
  await mkdir(partial, { recursive: true })
  try {
    const rough = await writeParts(partial, files, options)
    await rename(partial, out)
    return rough
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    throw error
  }
}

async function writeParts(
  partial: string,
  files: ModelFiles,
  { folder, onProgress, ...options }: QuantizeWeightsOptions,
): Promise<readonly RoughMatrix[]> {
  await copyBesides(files, partial, options.signal)
  const quantized = (await listParts(files)).filter(({ quantised }) => quantised)
  const sizes = await Promise.all(quantized.map((part) => weighFiles(files.within(part.folder))))
  const total = sizes.reduce((sum, size) => sum + size, 0)
  const all: RoughMatrix[] = []
  let before = 0
  for (const [index, { folder: part }] of quantized.entries()) {
    const rough = await quantizeWeights({
      ...options,
      folder: join(folder, part),
      files: files.within(part),
      out: join(partial, part),
      onProgress: ({ done }) => onProgress?.({ stage: 'quantize', done: before + done, total }),
    })
    all.push(...rough.map(({ name, error }) => ({ name: `${part}/${name}`, error })))
    before += sizes[index]!
    onProgress?.({ stage: 'quantize', done: before, total })
  }
  await copyPart(files.within('vae'), join(partial, 'vae'), options.signal)
  return all
}
