import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Bytes of all files below a folder; links take none. What is gone when it is looked at, as other processes rename and remove what
 * they write, takes none either.
 */
export async function measureFolder(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(orGone([]))
  const sizes = entries.map(async (entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return measureFolder(path)
    return entry.isFile() ? (await stat(path).catch(orGone({ size: 0 }))).size : 0
  })
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

function orGone<T>(nothing: T): (error: unknown) => T {
  return (error) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return nothing
    throw error
  }
}
