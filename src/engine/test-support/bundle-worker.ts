import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const ROOT = join(import.meta.dirname, '../../..')

/**
 * Bundles a worker's source to `out/<name>.js`, since Node 20 starts no worker from TypeScript. Like `dist/`, `out/`
 * lies right below the root, so that paths relative to the bundle mean the same as in the built package.
 */
export async function bundleWorker(source: string, name: string): Promise<URL> {
  const target = join(ROOT, 'out', `${name}.js`)
  const draft = join(ROOT, 'out', `${name}.${process.pid}.js`)
  await mkdir(join(ROOT, 'out'), { recursive: true })
  await build({
    entryPoints: [join(ROOT, source)],
    outfile: draft,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    sourcemap: 'inline',
    logLevel: 'silent',
  })
  // Test runs may overlap; a rename never shows half a file to the other.
  await rename(draft, target)
  return pathToFileURL(target)
}
