import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The version that package.json says, which lies above the folder that this code runs from: `dist`, `src/cli` or one below `out`. */
export async function packageVersion(folder = dirname(fileURLToPath(import.meta.url))): Promise<string> {
  const text = await readFile(join(folder, 'package.json'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && dirname(folder) !== folder) return undefined
    throw error
  })
  if (text === undefined) return packageVersion(dirname(folder))
  const { version } = JSON.parse(text) as { version: string }
  return version
}
