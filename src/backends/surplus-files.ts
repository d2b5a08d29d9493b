import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { InvalidRequestError } from '../errors/index.ts'
import { resolvePackage } from './resolve-package.ts'

/** What `backend: 'wasm'` loads in Node, where onnxruntime-node has no binary. */
export const WASM_FILES_OF_NODE = [
  'ort.node.min.mjs',
  'ort.node.min.js',
  'ort-wasm-simd-threaded.mjs',
  'ort-wasm-simd-threaded.wasm',
] as const

/** What pages load from `runtimeUrl`: the first two for `wasm`, the others for `webgpu`. */
export const WASM_FILES_OF_PAGES = [
  'ort-wasm-simd-threaded.mjs',
  'ort-wasm-simd-threaded.wasm',
  'ort-wasm-simd-threaded.asyncify.mjs',
  'ort-wasm-simd-threaded.asyncify.wasm',
] as const

/** Folders of the two packages of onnxruntime. */
export interface RuntimeFolders {
  readonly node: string
  readonly web: string
}

/** Where the packages are that this one loads. */
export function findRuntimeFolders(): RuntimeFolders {
  return {
    node: dirname(resolvePackage('onnxruntime-node/package.json')),
    web: dirname(dirname(resolvePackage('onnxruntime-web'))),
  }
}

export interface SurplusOptions {
  /** The one that stays, as Node names them: `linux-x64`. */
  readonly platform: string
  /** Whether what pages load stays. */
  readonly pages: boolean
}

/**
 * Paths in the packages of onnxruntime that an app on one platform never loads: binaries of the others, and builds of
 * onnxruntime-web that this library has no use for.
 *
 * @throws InvalidRequestError for a platform that onnxruntime-node has no binary of
 */
export async function findSurplus(folders: RuntimeFolders, { platform, pages }: SurplusOptions): Promise<string[]> {
  const binaries = await findBinaries(join(folders.node, 'bin'))
  if (!binaries.has(platform)) {
    throw new InvalidRequestError('platform', `must be one of ${[...binaries.keys()].join(', ')}, got '${platform}'`)
  }
  const others = [...binaries].filter(([name]) => name !== platform).map(([, folder]) => folder)
  const builds = join(folders.web, 'dist')
  const kept = new Set<string>([...WASM_FILES_OF_NODE, ...(pages ? WASM_FILES_OF_PAGES : [])])
  const unused = (await readdir(builds)).filter((file) => !kept.has(file)).map((file) => join(builds, file))
  return [...others, ...unused]
}

/** `linux-x64` to its folder, which is `napi-v6/linux/x64`. */
async function findBinaries(folder: string): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const api of await readdir(folder)) {
    for (const system of await readdir(join(folder, api))) {
      for (const processor of await readdir(join(folder, api, system))) {
        found.set(`${system}-${processor}`, join(folder, api, system, processor))
      }
    }
  }
  return found
}
