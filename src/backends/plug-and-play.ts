import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { resolvePackage } from './resolve-package.ts'

/**
 * The flags with which a process or thread that the library starts finds packages where Yarn's Plug'n'Play keeps them in archives; none
 * elsewhere. The app has them from Yarn or from its command line, beside others that are not meant for the library.
 */
export function plugAndPlayFlags(): string[] {
  if (process.versions['pnp'] === undefined) return []
  const table = findTable()
  if (table === undefined) return []
  const loader = join(dirname(table), '.pnp.loader.mjs')
  return ['--require', table, ...(existsSync(loader) ? ['--experimental-loader', pathToFileURL(loader).href] : [])]
}

/** None for a library that the app's table doesn't know, such as one that is installed globally: it has its packages in folders. */
function findTable(): string | undefined {
  try {
    return resolvePackage('pnpapi')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined
    throw error
  }
}
