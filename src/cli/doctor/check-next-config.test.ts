import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { checkNextConfig } from './check-next-config.ts'

let folder: string
beforeEach(() => void (folder = temporaryFolder()))

it('says nothing where there is no such app', async () => {
  expect(await checkNextConfig(folder)).toBeUndefined()
})

it.each<[name: string, config: string, remedies: RegExp[]]>([
  ['nothing set', 'export default {}', [/serverExternalPackages/]],
  ['another package', "export default { serverExternalPackages: ['onnxruntime-node'] }", [/'tessera-onnx'/]],
  ['all that is needed', "export default { serverExternalPackages: ['sharp', 'tessera-onnx'] }", []],
  ['a list from elsewhere', "import list from '../list'\nexport default { serverExternalPackages: list }", []],
  [
    'standalone without models',
    "export default { output: 'standalone', serverExternalPackages: ['tessera-onnx'] }",
    [/outputFileTracingIncludes/],
  ],
  [
    'standalone without the library of ONNX Runtime',
    `export default {
      output: 'standalone',
      serverExternalPackages: ["tessera-onnx"],
      outputFileTracingIncludes: { '/**': ['node_modules/tessera-onnx/models/**'] },
    }`,
    [/^'node_modules\/onnxruntime-node\/bin\/[^']*' under outputFileTracingIncludes/],
  ],
  [
    'standalone with both',
    `export default {
      output: 'standalone',
      serverExternalPackages: ["tessera-onnx"],
      outputFileTracingIncludes: { '/**': ['tessera-onnx/models/**', 'onnxruntime-node/bin/*/linux/x64/*'].map(toPath) },
    }`,
    [],
  ],
  [
    'standalone with all of that package',
    `export default {
      output: 'standalone',
      serverExternalPackages: ["tessera-onnx"],
      outputFileTracingIncludes: { '/**': ['tessera-onnx/models/**', 'onnxruntime-node/**'].map(toPath) },
    }`,
    [],
  ],
  ['standalone alone', 'export default { output: "standalone" }', [/serverExternal/, /outputFileTracing/]],
])('of %s it says what to add', async (_, config, remedies) => {
  await writeFile(join(folder, 'next.config.mjs'), config)
  const check = await checkNextConfig(folder)
  expect(check).toEqual({ file: 'next.config.mjs', remedies: remedies.map((words) => expect.stringMatching(words)) })
})

it.each([
  ['.pnpm/onnxruntime-node@1.30.0', 'node_modules/.pnpm/onnxruntime-node@*/node_modules/onnxruntime-node/bin/'],
  ['onnxruntime-node', 'node_modules/onnxruntime-node/bin/'],
])('names the library of ONNX Runtime where it is: node_modules/%s', async (installed, named) => {
  await mkdir(join(folder, 'node_modules', installed), { recursive: true })
  await mkdir(join(folder, 'node_modules/.pnpm'), { recursive: true })
  const config = "export default { output: 'standalone', serverExternalPackages: ['tessera-onnx'] }"
  await writeFile(join(folder, 'next.config.mjs'), config)
  const { remedies } = (await checkNextConfig(folder))!
  expect(remedies).toHaveLength(1)
  expect(remedies[0]).toContain(`'${named}`)
  expect(remedies[0]).toContain('the machine that the app runs on')
})

it('does not take the pattern of npm for that of pnpm, where it matches nothing', async () => {
  await mkdir(join(folder, 'node_modules/.pnpm/onnxruntime-node@1.30.0'), { recursive: true })
  const config = (runtime: string) =>
    `export default { output: 'standalone', serverExternalPackages: ['tessera-onnx'], outputFileTracingIncludes: { '/**': ['node_modules/tessera-onnx/models/**', '${runtime}'] } }`
  const file = join(folder, 'next.config.mjs')
  await writeFile(file, config('node_modules/onnxruntime-node/bin/*/linux/x64/*'))
  expect((await checkNextConfig(folder))!.remedies).toHaveLength(1)
  await writeFile(file, config('node_modules/.pnpm/onnxruntime-node@*/node_modules/onnxruntime-node/bin/*/linux/x64/*'))
  expect((await checkNextConfig(folder))!.remedies).toEqual([])
})

it.each([
  ['node_modules/onnxruntime-node', '../../node_modules/onnxruntime-node/bin/'],
  [
    'node_modules/.pnpm/onnxruntime-node@1.30.0',
    '../../node_modules/.pnpm/onnxruntime-node@*/node_modules/onnxruntime-node/bin/',
  ],
])('names files of a workspace from the folder of the app: %s', async (installed, named) => {
  const app = join(folder, 'apps/web')
  await mkdir(join(app, 'node_modules/tessera-onnx'), { recursive: true })
  await mkdir(join(folder, installed), { recursive: true })
  const config = "export default { output: 'standalone', serverExternalPackages: ['tessera-onnx'] }"
  await writeFile(join(app, 'next.config.mjs'), config)
  const [remedy] = (await checkNextConfig(app))!.remedies
  expect(remedy).toContain(`['node_modules/tessera-onnx/models/**', '${named}`)
})
