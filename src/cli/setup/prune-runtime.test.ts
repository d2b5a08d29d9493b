import { existsSync } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { findRuntimeFolders, findSurplus, WASM_FILES_OF_NODE, WASM_FILES_OF_PAGES } from '../../backends/index.ts'
import { pruneRuntime } from './prune-runtime.ts'

vi.mock('node:fs/promises', { spy: true })

const BINARIES = ['darwin/arm64', 'linux/arm64', 'linux/x64', 'win32/x64']
let root: string
let folders: { node: string; web: string }
beforeEach(async () => {
  root = temporaryFolder()
  folders = { node: join(root, 'node'), web: join(root, 'web') }
  const files = [
    ...BINARIES.map((name) => join(folders.node, 'bin/napi-v6', name, 'onnxruntime.node')),
    ...['ort.all.js', ...WASM_FILES_OF_NODE, ...WASM_FILES_OF_PAGES].map((name) => join(folders.web, 'dist', name)),
  ]
  for (const file of files) {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, '12345')
  }
})

const left = async (folder: string) =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).length

it('leaves the binary of one platform, and what Node and pages load of the other package', async () => {
  const { bytes, removed } = await pruneRuntime({ platform: 'linux-x64', pages: true, dryRun: false }, folders)
  expect([bytes, removed.length]).toEqual([4 * 5, 4])
  expect(existsSync(join(folders.node, 'bin/napi-v6/linux/x64/onnxruntime.node'))).toBe(true)
  expect(await left(folders.node)).toBe(1)
  expect((await readdir(join(folders.web, 'dist'))).sort()).toEqual(
    [...new Set([...WASM_FILES_OF_NODE, ...WASM_FILES_OF_PAGES])].sort(),
  )
})

it('leaves what Node loads alone where no page is served', async () => {
  await pruneRuntime({ platform: 'linux-arm64', pages: false, dryRun: false }, folders)
  expect((await readdir(join(folders.web, 'dist'))).sort()).toEqual([...WASM_FILES_OF_NODE].sort())
})

it('removes nothing where it only says what it would', async () => {
  const { removed } = await pruneRuntime({ platform: 'linux-x64', pages: true, dryRun: true }, folders)
  expect(removed.every((path) => existsSync(path))).toBe(true)
})

it('names what cannot be removed', async () => {
  vi.mocked(rm).mockRejectedValueOnce(Object.assign(new Error('read-only'), { code: 'EROFS' }))
  const pruning = pruneRuntime({ platform: 'linux-x64', pages: true, dryRun: false }, folders)
  await expect(pruning).rejects.toThrow(/^prune: .* cannot be removed \(EROFS\); run it as who installed/)
})

it('refuses a platform without a binary, by the names of those there are', async () => {
  await expect(pruneRuntime({ platform: 'linux-riscv64', pages: true, dryRun: false }, folders)).rejects.toThrow(
    "platform: must be one of darwin-arm64, linux-arm64, linux-x64, win32-x64, got 'linux-riscv64'",
  )
  expect(await left(folders.node)).toBe(BINARIES.length)
})

it('knows the packages as they are published', async () => {
  const real = findRuntimeFolders()
  const surplus = await findSurplus(real, { platform: 'linux-x64', pages: true })
  expect(surplus.length).toBeGreaterThan(20)
  expect(await readdir(join(real.web, 'dist'))).toEqual(
    expect.arrayContaining([...WASM_FILES_OF_NODE, ...WASM_FILES_OF_PAGES]),
  )
})
