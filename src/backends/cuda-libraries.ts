import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { resolvePackage } from './resolve-package.ts'

/**
 * What onnxruntime-node loads for CUDA; its package leaves these out for their size, its install script fetches them.
 */
const PROVIDER_FILES = ['libonnxruntime_providers_shared.so', 'libonnxruntime_providers_cuda.so'] as const

/**
 * Products that the libraries come with, by how their names start. The number behind `.so.` is the product's version.
 */
const PRODUCTS: readonly (readonly [start: string, describe: (version: string) => string])[] = [
  ['libcudnn', (version) => `cuDNN ${version}`],
  ['libcuda.so', () => 'the NVIDIA driver'],
  ['libnvidia', () => 'the NVIDIA driver'],
  // These two count their own versions; both come with CUDA 12.
  ['libcufft', () => 'CUDA 12'],
  ['libcurand', () => 'CUDA 12'],
  ['libcu', (version) => `CUDA ${version}`],
  ['libnvrtc', (version) => `CUDA ${version}`],
  ['libonnxruntime', () => 'onnxruntime-node'],
]

export interface CudaLibraries {
  /** Folder of onnxruntime-node. */
  readonly runtime: string
  /** Files of the provider that are not there. */
  readonly missing: readonly string[]
  readonly provider: string
}

/** The folder where the provider's files are or belong. onnxruntime-node has CUDA for Linux on x64 only. */
export function findCudaLibraries(runtime = findRuntime()): CudaLibraries {
  const folder = join(runtime, 'bin', 'napi-v6', process.platform, process.arch)
  const missing = PROVIDER_FILES.filter((file) => !existsSync(join(folder, file)))
  return { runtime, missing, provider: join(folder, PROVIDER_FILES[1]) }
}

/**
 * The shared library that keeps `file` from loading, or undefined. onnxruntime says only that loading failed; the
 * system's loader names the library. That happens in another process, since what does load would stay in this one.
 */
export function findMissingLibrary(file: string): Promise<string | undefined> {
  const script = 'process.dlopen({ exports: {} }, process.argv[1])'
  return new Promise((resolve) => {
    const env = { ...process.env, ELECTRON_RUN_AS_NODE: '1', NODE_OPTIONS: '' }
    execFile(process.execPath, ['-e', script, file], { env }, (_, __, stderr) =>
      resolve(/([^\s/:]+\.so[.\d]*): cannot open shared object file/.exec(stderr)?.[1]),
    )
  })
}

function findRuntime(): string {
  return dirname(resolvePackage('onnxruntime-node/package.json'))
}

/** `libcudnn.so.9 (cuDNN 9)` */
export function describeLibrary(library: string): string {
  const version = /\.so\.(\d+)/.exec(library)?.[1] ?? ''
  const product = PRODUCTS.find(([start]) => library.startsWith(start))?.[1](version)
  return product === undefined ? library : `${library} (${product})`
}
