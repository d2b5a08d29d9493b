import { copyFile, mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const PAGE = fileURLToPath(new URL('../src/console', import.meta.url))

/** Puts the files of the console's page into a folder, its script in one piece. */
export async function bundleConsole(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  // Test runs may overlap; a rename never shows half a file to the other.
  const place = async (name: string, write: (draft: string) => Promise<unknown>) => {
    const draft = join(folder, `${name}.${process.pid}`)
    await write(draft)
    await rename(draft, join(folder, name))
  }
  await place('page.html', (draft) => copyFile(join(PAGE, 'page.html'), draft))
  await place('page.css', (draft) => copyFile(join(PAGE, 'page.css'), draft))
  await place('page.js', (draft) =>
    build({
      entryPoints: [join(PAGE, 'main.ts')],
      outfile: draft,
      bundle: true,
      format: 'esm',
      target: 'es2022',
      logLevel: 'warning',
    }),
  )
}
