import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { throwIfAborted } from '../../errors/aborted-by.ts'
import { ModelFormatError } from '../../errors/index.ts'
import { exists } from '../files/exists.ts'
import { findChanged } from '../files/file-state.ts'
import { isUnwritable } from '../files/is-unwritable.ts'
import { isWhole } from '../files/is-whole.ts'
import type { MadeWeights, WeightFile } from '../files/model-files.ts'
import { homeFolder } from '../find/home-folder.ts'
import type { Environment } from '../find/hub-cache.ts'

/** Rises when the same file is unpacked otherwise. */
const FORMAT = 1
/** Memory of one step. */
const STEP_BYTES = 16 * 2 ** 20
/** Older than anything that is still being unpacked: whoever wrote it was killed. */
const ABANDONED_MS = 24 * 60 * 60_000

/** Says what a folder of the cache was unpacked of. */
export const SOURCE_FILE = 'source.txt'

/** Where unpacked models are kept: `TESSERA_CACHE`, or `tessera` in `XDG_CACHE_HOME` or `~/.cache`. */
export function unpackedFolder(env: Environment): string {
  return join(
    env['TESSERA_CACHE'] || join(env['XDG_CACHE_HOME'] || join(homeFolder(), '.cache'), 'tessera'),
    'unpacked',
  )
}

/**
 * Writes weights that are made from others as safetensors, which onnxruntime opens where they lie, into a cache, unless they
 * are there, whole. Memory stays bounded whatever the size of the model.
 *
 * @param weights what `made` of the model's files gives
 * @param path of the model's folder or GGUF file
 * @returns the folder with the file; it appears once it is complete, and what was unpacked of an earlier state of the model
 *   is removed
 * @throws ModelFormatError when the file is damaged or has changed since it was first read, or the cache cannot be written, AbortedError
 */
export async function unpackWeights(
  weights: MadeWeights,
  path: string,
  signal: AbortSignal,
  env: Environment = process.env,
): Promise<string> {
  const { owner, state } = await identify(path, weights)
  const folder = join(unpackedFolder(env), owner, state)
  if (await isWhole(join(folder, weights.name), weights)) return folder
  await requireUnchanged(weights)
  const partial = `${folder}.partial-${randomUUID()}`
  try {
    await mkdir(partial, { recursive: true })
    await writeFile(join(unpackedFolder(env), owner, SOURCE_FILE), await followLinks(path))
    await copyWeights(weights, join(partial, weights.name), signal)
    // Only now is it known that all was read of the files whose headers say where it lies.
    await requireUnchanged(weights)
    await rename(partial, folder).catch(async (error: unknown) => {
      // Another process may have been first; then there is nothing to do.
      if (await isWhole(join(folder, weights.name), weights)) return
      if (!(await exists(folder))) throw error
      // Only the file: a folder that is removed may by now be the whole one of another process.
      await rename(join(partial, weights.name), join(folder, weights.name))
    })
  } catch (error) {
    throw explain(error, folder, weights.size)
  } finally {
    await rm(partial, { recursive: true, force: true }).catch(() => {})
  }
  await removeOthers(join(unpackedFolder(env), owner), state)
  return folder
}

/**
 * Names of the folders of a model or part and of the state that the files are in which its weights are made from. What is in
 * another state is removed, so parts and pipelines that share a file have folders of their own.
 */
async function identify(
  path: string,
  { sources, part }: Pick<MadeWeights, 'sources' | 'part'>,
): Promise<{ owner: string; state: string }> {
  const states = sources.map((source) => [source.path, source.size, source.mtimeMs, source.ctimeMs])
  const stem = basename(path).replace(/\.gguf$/i, '')
  const owner = [await followLinks(path), ...(part === undefined ? [] : [part.name, await followLinks(part.config)])]
  return { owner: `${stem}-${hash(owner)}`, state: hash([FORMAT, states]) }
}

/** What is gone by now is found by the states of the files. */
function followLinks(path: string): Promise<string> {
  return realpath(path).catch(() => path)
}

function hash(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16)
}

async function copyWeights(weights: WeightFile, path: string, signal: AbortSignal): Promise<void> {
  const file = await open(path, 'wx')
  try {
    for (let done = 0; done < weights.size;) {
      throwIfAborted(signal)
      const bytes = await weights.read(done, STEP_BYTES)
      await file.writeFile(bytes)
      done += bytes.length
    }
  } finally {
    await file.close()
  }
}

async function requireUnchanged({ sources }: MadeWeights): Promise<void> {
  const changed = await findChanged(sources)
  if (changed === undefined) return
  const got = 'another or none: it has changed since; open the model again'
  throw new ModelFormatError(changed.path, 'the file as it was when it was first read', got)
}

function explain(error: unknown, folder: string, size: number): unknown {
  if (!isUnwritable(error)) return error
  const expected = `a folder for ${size} bytes of unpacked weights (TESSERA_CACHE)`
  return new ModelFormatError(folder, expected, `one that cannot be written (${error.code})`, { cause: error })
}

/** What is in the way of nothing if it stays, as where a process has its weights open on Windows. */
async function removeOthers(owner: string, state: string): Promise<void> {
  const others = (await readdir(owner)).filter((name) => name !== state && name !== SOURCE_FILE)
  const remove = async (path: string) => {
    if (path.includes('.partial-') && Date.now() - (await stat(path)).mtimeMs < ABANDONED_MS) return
    await rm(path, { recursive: true, force: true })
  }
  await Promise.all(others.map((name) => remove(join(owner, name)).catch(() => {})))
}
