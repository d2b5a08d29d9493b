import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findRuntimeFolders } from '../../src/backends/index.ts'

/** Of onnxruntime-web. */
export const BUILDS = join(findRuntimeFolders().web, 'dist')

export const readGuide = () => readFile(new URL('../../docs/browsers.md', import.meta.url), 'utf8')

/** Rows of the guide's table of files that a page needs: name, backend, size. */
export async function readTable(): Promise<string[][]> {
  const rows = (await readGuide()).matchAll(/^\| `(ort-[\w.-]+)` \| (\w+) \| ([\d.]+ [kM]B) \|$/gm)
  return Array.from(rows, ([, file, backend, size]) => [file!, backend!, size!])
}

/** Copies the files that the guide names, those for each backend to a folder of its own: `wasm` and `webgpu`. */
export async function copyNeededFiles(folder: string): Promise<void> {
  for (const [file, backend] of await readTable()) {
    await cp(join(BUILDS, file!), join(folder, backend === 'WebAssembly' ? 'wasm' : backend!.toLowerCase(), file!))
  }
}
