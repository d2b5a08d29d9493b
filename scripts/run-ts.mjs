// Runs a TypeScript program of this repository, with its arguments: node scripts/run-ts.mjs FILE ARGS...
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const [file, ...args] = process.argv.slice(2)
if (file === undefined) throw new Error('expected a file: node scripts/run-ts.mjs FILE ARGS...')
const name = basename(file, extname(file))
// Workers that the program starts itself lie beside it.
const beside = readdirSync(dirname(file)).filter((entry) => entry.endsWith('-worker.ts'))
const workers = beside.map((entry) => [basename(entry, '.ts'), join(dirname(file), entry)])
// Two folders below the root, as deep as code looks upwards for models/, with the worker that createEngine() starts beside it.
const outdir = join(root, 'out', name)
await build({
  entryPoints: {
    [name]: file,
    worker: join(root, 'src/engine/worker/worker.ts'),
    ...Object.fromEntries(workers),
    'body-worker': join(root, 'src/http/body/body-worker.ts'),
    'quantize-worker': join(root, 'src/models/quantize/quantize-worker.ts'),
  },
  outdir,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  packages: 'external',
  sourcemap: 'inline',
  logLevel: 'warning',
})
// A process of its own, so that the bundler's memory and threads are not part of what is measured.
const command = ['--enable-source-maps', join(outdir, `${name}.js`), ...args]
// Benches also load onnxruntime beside the library, and start programs that do: none of them reports to its maker.
const env = { ORT_DISABLE_TELEMETRY: '1', ...process.env }
const { status } = spawnSync(process.execPath, command, { stdio: 'inherit', env })
process.exitCode = status ?? 1
