import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/helpers/temporary-folder.ts'
import { describeLibrary, findCudaLibraries, findMissingLibrary } from './cuda-libraries.ts'

let work: string
beforeEach(() => void (work = temporaryFolder()))

describe('the libraries of the CUDA provider', () => {
  it('are named while they are not there', async () => {
    const both = ['libonnxruntime_providers_shared.so', 'libonnxruntime_providers_cuda.so']
    expect(findCudaLibraries(work).missing).toEqual(both)
    const folder = join(work, 'bin', 'napi-v6', process.platform, process.arch)
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, both[0]!), '')
    expect(findCudaLibraries(work).missing).toEqual([both[1]])
    await writeFile(join(folder, both[1]!), '')
    expect(findCudaLibraries(work)).toEqual({ runtime: work, missing: [], provider: join(folder, both[1]!) })
  })

  it.skipIf(process.platform !== 'linux')('that another library needs are found by loading it', async () => {
    // onnxruntime's own binding, away from the library that lies beside it.
    const alone = join(work, 'binding.node')
    const { runtime } = findCudaLibraries()
    const binding = join(runtime, 'bin', 'napi-v6', process.platform, process.arch, 'onnxruntime_binding.node')
    await copyFile(binding, alone)
    expect(await findMissingLibrary(alone)).toBe('libonnxruntime.so.1')
    expect(await findMissingLibrary(binding)).toBeUndefined()
  })

  it.each([
    ['libcudnn.so.9', 'libcudnn.so.9 (cuDNN 9)'],
    ['libcudnn_graph.so.9', 'libcudnn_graph.so.9 (cuDNN 9)'],
    ['libcublasLt.so.12', 'libcublasLt.so.12 (CUDA 12)'],
    ['libcudart.so.12', 'libcudart.so.12 (CUDA 12)'],
    ['libcufft.so.11', 'libcufft.so.11 (CUDA 12)'],
    ['libcuda.so.1', 'libcuda.so.1 (the NVIDIA driver)'],
    ['libz.so.1', 'libz.so.1'],
  ])('%s is described as %s', (library, described) => {
    expect(describeLibrary(library)).toBe(described)
  })
})
