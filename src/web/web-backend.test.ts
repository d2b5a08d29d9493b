import { afterEach, expect, it, vi } from 'vitest'
import { resolveWebOptions } from './resolve-web-options.ts'
import { createWebBackend } from './web-backend.ts'
import { WeightStore } from './weight-store.ts'

const runtime = vi.hoisted(() => ({
  env: { wasm: {}, webgpu: {}, versions: { web: '1.0.0' } },
  InferenceSession: { create: () => Promise.reject(new Error('no kernels')) },
}))
vi.mock('onnxruntime-web/webgpu', () => runtime)
vi.mock('onnxruntime-web/wasm', () => runtime)
afterEach(() => void vi.unstubAllGlobals())

const parts = { weights: new WeightStore(), onLost: () => {} }
const { settings } = resolveWebOptions({ runtimeUrl: '/ort' }, 'https://app.example')
const stubAdapter = (adapter: object) =>
  vi.stubGlobal('navigator', {
    hardwareConcurrency: 2,
    gpu: { requestAdapter: async () => ({ features: new Set(), ...adapter }) },
  })

it('tries a device that says nothing about itself', async () => {
  stubAdapter({})
  const reason = expect.stringMatching(/webgpu: it does not compute here \(no kernels\).*wasm: it does not/)
  await expect(createWebBackend(settings, parts)).rejects.toMatchObject({
    code: 'backend_unavailable',
    reason,
  })
})

it('goes on to WebAssembly where the browser refuses to look for a device, as Firefox does of drivers that it does not trust', async () => {
  const refusal = new DOMException('WebGPU is disabled by blocklist.', 'NotSupportedError')
  vi.stubGlobal('navigator', { hardwareConcurrency: 2, gpu: { requestAdapter: () => Promise.reject(refusal) } })
  const reason = expect.stringMatching(/webgpu: .*disabled by blocklist.*wasm: it does not compute/)
  await expect(createWebBackend(settings, parts)).rejects.toMatchObject({ code: 'backend_unavailable', reason })
  const asked = createWebBackend({ ...settings, backend: 'webgpu' }, parts)
  await expect(asked).rejects.toMatchObject({ code: 'backend_unavailable', backend: 'webgpu', cause: refusal })
})

it.each(['auto', 'webgpu', 'wasm'] as const)(
  'says where the files of the runtime must be where %s does not start',
  async (backend) => {
    stubAdapter({})
    const remedy = expect.stringContaining('at runtimeUrl (https://app.example/ort/; `.mjs` as text/javascript)')
    await expect(createWebBackend({ ...settings, backend }, parts)).rejects.toMatchObject({ remedy })
  },
)

it('says once what helps both, and leads to wasm only who asked for WebGPU', async () => {
  stubAdapter({})
  const cause = expect.objectContaining({ message: 'no kernels' })
  const remedy = expect.stringMatching(/^serve the files of .* by wasm-unsafe-eval\)$/)
  await expect(createWebBackend(settings, parts)).rejects.toMatchObject({ remedy, cause })
  const asked = { ...settings, backend: 'webgpu' } as const
  const other = expect.stringMatching(/^serve the files of .*, or use backend 'wasm'$/)
  await expect(createWebBackend(asked, parts)).rejects.toMatchObject({ remedy: other })
})

it('says of a page whose browser has no WebGPU what helps each', async () => {
  vi.stubGlobal('navigator', { hardwareConcurrency: 2 })
  const remedy = expect.stringMatching(
    /^For webgpu: update the browser or its graphics driver\. For wasm: serve the files/,
  )
  await expect(createWebBackend(settings, parts)).rejects.toMatchObject({ remedy })
})

it('says that a page whose own thread failed to start the runtime has to be loaded again', async () => {
  vi.stubGlobal('navigator', { hardwareConcurrency: 2 })
  vi.stubGlobal('document', {})
  const remedy = expect.stringContaining('reload the page')
  await expect(createWebBackend({ ...settings, backend: 'wasm' }, parts)).rejects.toMatchObject({ remedy })
})

it.each([
  ['runtimeUrl', { runtimeUrl: 'https://other.example/' }],
  ['threads', { threads: 3 }],
])('refuses another %s than that of the engine before it on the same thread', async (path, other) => {
  vi.stubGlobal('navigator', { hardwareConcurrency: 2 })
  vi.stubGlobal('crossOriginIsolated', true)
  const wasm = { ...settings, backend: 'wasm' } as const
  await expect(createWebBackend(wasm, parts)).rejects.toMatchObject({ code: 'backend_unavailable' })
  await expect(createWebBackend({ ...wasm, ...other }, parts)).rejects.toMatchObject({ code: 'invalid_request', path })
  await expect(createWebBackend({ ...wasm, threads: 1 }, parts)).rejects.toMatchObject({ code: 'backend_unavailable' })
})

it('does not take a device in software unless it is asked for', async () => {
  stubAdapter({ info: { isFallbackAdapter: true } })
  const reason = expect.stringContaining('webgpu: WebGPU finds only a device in software here')
  await expect(createWebBackend(settings, parts)).rejects.toMatchObject({ reason })
  const asked = createWebBackend({ ...settings, backend: 'webgpu' }, parts)
  await expect(asked).rejects.toMatchObject({ reason: expect.stringContaining('no kernels') })
})
