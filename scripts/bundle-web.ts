import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type BuildOptions } from 'esbuild'
import { licenseNotices } from './license-notices.ts'

const fromRoot = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

/**
 * How `tessera-onnx/web` is bundled: everything in it but onnxruntime's WebAssembly, which the app serves, so that a
 * page can import it without a bundler and nothing is loaded from elsewhere.
 */
const OPTIONS: BuildOptions = {
  entryPoints: { index: fromRoot('src/web/index.ts'), worker: fromRoot('src/web/worker.ts') },
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  minify: true,
  // Builds of onnxruntime-web whose WebAssembly is not inlined as code.
  conditions: ['onnxruntime-web-use-extern-wasm'],
  chunkNames: '[name]-[hash]',
  logLevel: 'warning',
}

/** Puts `index.js`, `worker.js` and what they share into a folder. */
export async function bundleWeb(folder: string): Promise<void> {
  await build({ ...OPTIONS, outdir: folder, plugins: [licenseNotices(join(folder, 'LICENSES.txt'))] })
}
