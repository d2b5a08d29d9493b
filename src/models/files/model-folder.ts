import { open, readdir, readFile, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { ModelFormatError, OverloadedError, type TesseraError } from '../../errors/index.ts'
import { isOutOfFiles } from './is-out-of-files.ts'
import type { ModelFiles, WeightFile } from './model-files.ts'

/** Twice the largest of published tokenizers. */
const MOST_TEXT_BYTES = 2 ** 26

/**
 * The files of a model in a folder of this machine.
 *
 * @param name of the model. @defaultValue the last part of the folder
 */
export function openFolder(folder: string, name = basename(resolve(folder))): ModelFiles {
  return {
    location: folder,
    name,
    readText: (name) => readText(join(folder, name)),
    findWeights: (name) => findWeights(join(folder, name)),
    names: () => readdir(folder).catch(() => []),
    within: (name) => openFolder(join(folder, name)),
  }
}

async function readText(path: string): Promise<string | undefined> {
  try {
    const stats = await stat(path)
    const { size } = stats
    // A folder is refused where it is read. Others, as a link of a cloned repository may lead to, have no end that their size would tell.
    if (!stats.isFile() && !stats.isDirectory()) throw new ModelFormatError(path, 'a file', 'a device or a pipe')
    if (size > MOST_TEXT_BYTES) {
      throw new ModelFormatError(path, `a text of at most ${MOST_TEXT_BYTES} bytes`, `${size} bytes`)
    }
    // Editors on Windows begin texts with a mark of byte order, which browsers take off and Node does not.
    return (await readFile(path, 'utf8')).replace(/^\uFEFF/, '')
  } catch (cause) {
    if (cause instanceof ModelFormatError) throw cause
    if (isMissing(cause)) return undefined
    throw unreadable(path, cause)
  }
}

async function findWeights(path: string): Promise<WeightFile | undefined> {
  try {
    const stats = await stat(path)
    if (!stats.isFile()) return undefined
    const real = await realpath(path)
    const { size, mtimeMs, ctimeMs } = stats
    return {
      folder: dirname(real),
      name: basename(real),
      size,
      sources: [{ path: real, size, mtimeMs, ctimeMs }],
      read: (start, length) => read(real, start, length),
    }
  } catch (cause) {
    if (isMissing(cause)) return undefined
    throw unreadable(path, cause)
  }
}

async function read(path: string, start: number, length: number): Promise<Uint8Array> {
  try {
    const handle = await open(path)
    // Not by `await using`: under Yarn's Plug'n'Play files are its own, which cannot be disposed.
    try {
      const { buffer, bytesRead } = await handle.read(new Uint8Array(length), 0, length, start)
      return buffer.subarray(0, bytesRead)
    } finally {
      await handle.close()
    }
  } catch (cause) {
    throw unreadable(path, cause)
  }
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' || code === 'ENOTDIR'
}

function unreadable(path: string, cause: unknown): TesseraError {
  if (isOutOfFiles(cause)) {
    const remedy = 'try again when some are closed, or raise the limit of the process (ulimit -n)'
    return new OverloadedError(`a file of the model could not be opened, as too many are open; ${remedy}`, { cause })
  }
  return new ModelFormatError(path, 'a file that can be read', String(cause), { cause })
}
