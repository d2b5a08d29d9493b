import { describe, expect, it } from 'vitest'
import { explainLoadFailure, loadOnnxruntimeNode } from './onnxruntime-node.ts'
import { countDefaultThreads, describePlatform } from './platform.ts'
import { explainMissingProvider } from './provider-probe.ts'

const glibc = { name: 'linux x64', musl: false }

describe('loading onnxruntime-node', () => {
  it('names the platform and a remedy when the binding does not load', async () => {
    const cause = Object.assign(new Error('ld-linux-x86-64.so.2: cannot open'), { code: 'ERR_DLOPEN_FAILED' })
    const loading = loadOnnxruntimeNode('cpu', () => Promise.reject(cause))
    await expect(loading).rejects.toMatchObject({
      code: 'backend_unavailable',
      backend: 'cpu',
      reason: expect.stringContaining(describePlatform()),
      cause,
    })
  })

  it('says on musl that the binding needs glibc', () => {
    const { reason, remedy } = explainLoadFailure(new Error('no such file'), { name: 'linux x64 (musl)', musl: true })
    expect(reason).toContain("built for glibc and doesn't load on linux x64 (musl)")
    expect(remedy).toContain("backend 'wasm'")
  })

  it('tells a missing package from a missing binding', () => {
    const code = 'MODULE_NOT_FOUND'
    const noPackage = Object.assign(new Error("Cannot find package 'onnxruntime-node'"), { code })
    const noBinding = Object.assign(new Error("Cannot find module '../bin/onnxruntime_binding.node'"), { code })
    expect(explainLoadFailure(noPackage, glibc).remedy).toBe('npm install onnxruntime-node')
    expect(explainLoadFailure(noBinding, glibc).reason).toContain('no binding that loads on linux x64')
  })

  it.each([
    [
      "/a/libonnxruntime.so.1: version `VERS_1.30.0' not found (required by /b/onnxruntime_binding.node)",
      'of another version',
    ],
    ['cannot register backend "cpu" using priority 100', 'of the same version in the same thread'],
  ])('names a second copy in the process: %s', (message) => {
    const { reason, remedy } = explainLoadFailure(
      Object.assign(new Error(message), { code: 'ERR_DLOPEN_FAILED' }),
      glibc,
    )
    expect(reason).toBe(`another onnxruntime-node was loaded in this process before (${message})`)
    expect(remedy).toContain("worker: 'process'")
  })

  it.each([
    ['linux x64', '/a/onnxruntime_binding.node: failed to map segment from shared object', 'noexec'],
    ['linux x64', '/a/onnxruntime_binding.node: cannot open shared object file: Permission denied', 'read all of'],
    ['linux arm64', 'libonnxruntime.so.1: cannot open shared object file: No such file or directory', 'copy all of'],
    ['linux x64', "/lib64/libm.so.6: version `GLIBC_2.29' not found", 'a newer system'],
    ['win32 x64', 'The specified module could not be found.', 'Visual C++ Redistributable'],
  ])('does not send from %s to another platform: %s', (name, message, help) => {
    const cause = Object.assign(new Error(message), { code: 'ERR_DLOPEN_FAILED' })
    const { remedy } = explainLoadFailure(cause, { name, musl: false })
    expect(remedy).toContain(help)
    expect(remedy).not.toContain('supported platform')
  })

  it('names the platforms where there is no binding for this one', () => {
    const cause = Object.assign(new Error("Cannot find module '../bin/onnxruntime_binding.node'"), {
      code: 'MODULE_NOT_FOUND',
    })
    expect(explainLoadFailure(cause, { name: 'darwin x64', musl: false }).remedy).toContain('supported platform')
    expect(explainLoadFailure(cause, { name: 'win32 x64', musl: false }).remedy).toContain(
      'install onnxruntime-node anew',
    )
  })

  it('names the flags where Node may load no native code', () => {
    const cause = Object.assign(new Error('Cannot load native addon'), { code: 'ERR_DLOPEN_DISABLED' })
    expect(explainLoadFailure(cause, glibc).remedy).toContain('without --no-addons')
  })
})

describe('explainMissingProvider', () => {
  it('says that the build lacks a provider and where there is one, not what to install for it', () => {
    const runtime = { listSupportedBackends: () => [{ name: 'cpu', bundled: true }] }
    for (const name of ['cuda', 'webgpu', 'coreml', 'dml'] as const) {
      const { reason, remedy } = explainMissingProvider(name, runtime)!
      expect(reason).toMatch(new RegExp(`no ${name} provider for .*, only for (Linux|macOS|Windows)`))
      expect(remedy).toBe('choose another backend, such as cpu')
    }
  })

  it('gives the command that installs the CUDA libraries', () => {
    const runtime = { listSupportedBackends: () => [{ name: 'cuda', bundled: false }] }
    const missing = explainMissingProvider('cuda', runtime, { missing: ['libonnxruntime_providers_cuda.so'] })
    expect(missing?.remedy).toBe('npx tessera-onnx setup cuda')
  })

  it('leaves a bundled provider to the probe', () => {
    const runtime = { listSupportedBackends: () => [{ name: 'webgpu', bundled: true }] }
    expect(explainMissingProvider('webgpu', runtime, { missing: ['libonnxruntime_providers_cuda.so'] })).toBeUndefined()
  })
})

describe('countDefaultThreads', () => {
  it('uses all of a few processors and half of many on x64', () => {
    expect([1, 2, 4, 5, 16].map((count) => countDefaultThreads(count, 'x64'))).toEqual([1, 2, 4, 4, 8])
    expect(countDefaultThreads(10, 'arm64')).toBe(10)
  })
})
