import { readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type BuildOptions } from 'esbuild'
import { licenseNotices } from './license-notices.ts'

const fromRoot = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

/**
 * How `tessera-onnx/web` is bundled: everything in it but onnxruntime's WebAssembly, which the app serves, so that a
 * page can import it without a bundler and nothing is loaded from elsewhere.
 */
const OPTIONS: BuildOptions = {
  entryPoints: {
    index: fromRoot('src/web/index.ts'),
    worker: fromRoot('src/web/worker.ts'),
    'for-node': fromRoot('src/web/for-node.ts'),
  },
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  minify: true,
  // Builds of onnxruntime-web whose WebAssembly is not inlined as code.
  conditions: ['onnxruntime-web-use-extern-wasm'],
  chunkNames: '[name]-[hash]',
  // Settings of zod that hold for the copy in here alone, not for the page's own: without them it tries `new Function`, which strict pages report.
  define: { 'globalThis.__zod_globalConfig': '{"jitless":true}' },
  logLevel: 'warning',
}

/**
 * What bundlers of apps must not follow in onnxruntime: its address beside a file of its own, which has another name here, and the import of a
 * file that the app serves, whose comments for bundlers are lost where it is minified.
 */
const LEFT_ALONE: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/(?<=new \w+\("ort\.[\w.]+\.mjs",)import\.meta\.url(?=\))/g, 'String(import.meta.url)'],
  [/\bimport\((?=\w+\))/g, 'import(/*webpackIgnore:true*//*@vite-ignore*/'],
]

/** Puts `index.js`, `worker.js`, what bundles for browsers get of the package itself, and what they share into a folder. */
export async function bundleWeb(folder: string): Promise<void> {
  const plugins = [licenseNotices(join(folder, 'LICENSES.txt'))]
  const { metafile } = await build({ ...OPTIONS, metafile: true, outdir: folder, plugins })
  const runtimes = Object.keys(metafile.outputs).filter((file) => basename(file).startsWith('ort.'))
  await Promise.all(runtimes.map(haveLeftAlone))
}

async function haveLeftAlone(file: string): Promise<void> {
  let code = await readFile(file, 'utf8')
  for (const [pattern, replacement] of LEFT_ALONE) {
    const changed = code.replaceAll(pattern, replacement)
    if (changed === code) throw new Error(`expected ${pattern} in ${file}, as the builds of onnxruntime-web had it`)
    code = changed
  }
  await writeFile(file, code)
}
