import { spawnSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'

it.each([
  ['cjs', true],
  ['esm', true],
  ['esm', false],
] as const)('a bundle of %s with worker: %s says that the library is to be left out of it', async (format, worker) => {
  const folder = temporaryFolder()
  const outfile = join(folder, format === 'cjs' ? 'app.cjs' : 'app.mjs')
  await build({
    stdin: {
      contents: `import { createEngine } from './src/index.ts'
        const questions = { q: { type: 'noul', instructions: 'x' } }
        createEngine({ worker: ${worker} }).then((engine) => engine.decide({ state: 'x', questions })).catch((error) => {
          console.log(error.code, error.message)
          process.exit()
        })`,
      resolveDir: join(import.meta.dirname, '../../..'),
    },
    outfile,
    bundle: true,
    platform: 'node',
    format,
    external: ['onnxruntime-node', 'sharp'],
    // An ESM bundle cannot require what Node has.
    banner:
      format === 'esm'
        ? { js: "import { createRequire as ofModule } from 'node:module'; const require = ofModule(import.meta.url)" }
        : {},
    logLevel: 'silent',
  })
  symlinkSync(join(import.meta.dirname, '../../../node_modules'), join(folder, 'node_modules'), 'junction')
  const { stdout, stderr } = spawnSync(process.execPath, [outfile], { encoding: 'utf8' })
  expect(stdout + stderr).toMatch(/^internal_error .* leave tessera-onnx out of the bundle/)
})
