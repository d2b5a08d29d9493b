import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { abortedBy } from '../../errors/aborted-by.ts'
import { InvalidRequestError } from '../../errors/index.ts'
import { exists } from '../files/exists.ts'
import { isUnwritable } from '../files/is-unwritable.ts'
import type { ModelFiles } from '../files/model-files.ts'
import { withLock } from '../files/with-lock.ts'
import { isImageBundle } from '../is-image-bundle.ts'
import { listParts } from '../list-parts.ts'
import { openFloats } from '../open-model.ts'
import { weighFiles } from '../weigh-model.ts'
import { copyBesides, copyPart } from './copy-pipeline.ts'
import { type QuantizedCheckpoint, quantizeWeights, type QuantizeWeightsOptions } from './quantize-weights.ts'

export interface QuantizeCheckpointOptions extends QuantizeWeightsOptions {
  /** Called where another process is making the same folder, or was killed a moment ago: it is waited for. */
  readonly onWait?: () => void
}

/** What follows the name of a folder while it is made. */
const PARTIAL = /^\.partial-[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

/**
 * Writes a copy of a language model, or of a pipeline in diffusers layout, with its matrices in 4 or 8 bits. What
 * runs for the same folder that were killed have left beside it is removed first.
 *
 * @returns what became of its matrices and norms, those of a pipeline by folder and name
 * @throws as `quantizeWeights`, and InvalidRequestError when `out` cannot be written
 */
export async function quantizeCheckpoint(options: QuantizeCheckpointOptions): Promise<QuantizedCheckpoint> {
  const files = openFloats(options.folder)
  const out = resolve(options.out)
  const { signal, onWait = () => {} } = options
  try {
    if (await exists(out)) throw alreadyThere(out)
    // Whoever has the lock is the only one that makes this folder, so what lies beside it belongs to nobody.
    return await withLock(`${out}.partial.lock`, { signal, onWait }, async () => {
      await removeAbandoned(out)
      return (await isImageBundle(files)) ? quantizePipeline(files, options) : quantizeWeights(options)
    })
  } catch (error) {
    // Waiting and copying end with the error that Node has for it.
    throw signal?.aborted ? abortedBy(signal) : explain(error, out)
  }
}

async function removeAbandoned(out: string): Promise<void> {
  const name = basename(out)
  const left = (await readdir(dirname(out))).filter(
    (other) => other.startsWith(name) && PARTIAL.test(other.slice(name.length)),
  )
  await Promise.all(left.map((other) => rm(join(dirname(out), other), { recursive: true, force: true })))
}

/** What the system refuses to write, and the words it has for that: a folder that is not writable, no room, or another run that made it first. */
function explain(error: unknown, out: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (syscall === 'rename' && (code === 'ENOTEMPTY' || code === 'EEXIST')) return alreadyThere(out, error)
  if (!isUnwritable(error)) return error
  const reason = `${out} cannot be made: ${error.message}; choose a folder that can be written and has room`
  return new InvalidRequestError('out', reason, { cause: error })
}

function alreadyThere(out: string, cause?: unknown): InvalidRequestError {
  return new InvalidRequestError('out', `${out} exists; remove it or choose another folder`, { cause })
}

async function quantizePipeline(files: ModelFiles, options: QuantizeWeightsOptions): Promise<QuantizedCheckpoint> {
  const out = resolve(options.out)
  if (await exists(out)) throw alreadyThere(out)
  const within = relative(resolve(options.folder), out)
  // The relative path from one drive to another is an absolute one.
  if (!within.startsWith('..') && !isAbsolute(within))
    throw new InvalidRequestError('out', `${out} must not be inside the checkpoint`)
  const partial = `${out}.partial-${randomUUID()}`
  await mkdir(partial, { recursive: true })
  try {
    const quantized = await writeParts(partial, files, options)
    await rename(partial, out)
    return quantized
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    throw error
  }
}

async function writeParts(
  partial: string,
  files: ModelFiles,
  { folder, onProgress, ...options }: QuantizeWeightsOptions,
): Promise<QuantizedCheckpoint> {
  await copyBesides(files, partial, options.signal)
  const quantized = (await listParts(files)).filter(({ quantised }) => quantised)
  const sizes = await Promise.all(quantized.map((part) => weighFiles(files.within(part.folder))))
  const total = sizes.reduce((sum, size) => sum + size, 0)
  const all: QuantizedCheckpoint[] = []
  let before = 0
  for (const [index, { folder: part }] of quantized.entries()) {
    const { rough, smoothed } = await quantizeWeights({
      ...options,
      folder: join(folder, part),
      files: files.within(part),
      tokenizer: files.within('tokenizer'),
      out: join(partial, part),
      onProgress: ({ stage, ...progress }) =>
        onProgress?.(stage === 'smooth' ? { stage, ...progress } : { stage, done: before + progress.done, total }),
    })
    all.push({
      rough: rough.map(({ name, error }) => ({ name: `${part}/${name}`, error })),
      smoothed: smoothed.map((norm) => `${part}/${norm}`),
    })
    before += sizes[index]!
    onProgress?.({ stage: 'quantize', done: before, total })
  }
  await copyPart(files.within('vae'), join(partial, 'vae'), options.signal)
  return { rough: all.flatMap(({ rough }) => rough), smoothed: all.flatMap(({ smoothed }) => smoothed) }
}
