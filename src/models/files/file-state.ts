import { realpath, stat } from 'node:fs/promises'

/** What changes when a file is written to or replaced. Tools that pack files set their time of modification; that of change is the system's own. */
export interface FileState {
  /** Links followed. */
  readonly path: string
  /** Bytes. */
  readonly size: number
  readonly mtimeMs: number
  readonly ctimeMs: number
}

/** The state of a file before it is read; of one that is not there all numbers are 0. */
export async function readFileState(path: string): Promise<FileState> {
  try {
    const { size, mtimeMs, ctimeMs } = await stat(path)
    return { path: await realpath(path), size, mtimeMs, ctimeMs }
  } catch {
    return { path, size: 0, mtimeMs: 0, ctimeMs: 0 }
  }
}

/** The first of some files that is in another state by now. */
export async function findChanged(before: readonly FileState[]): Promise<FileState | undefined> {
  const after = await Promise.all(before.map(({ path }) => readFileState(path)))
  return before.find((file, index) => {
    const { size, mtimeMs, ctimeMs } = after[index]!
    return size !== file.size || mtimeMs !== file.mtimeMs || ctimeMs !== file.ctimeMs
  })
}
