import { expect, it, vi } from 'vitest'
import { resolveWebOptions } from './resolve-web-options.ts'
import { createWebBackend } from './web-backend.ts'
import { WeightStore } from './weight-store.ts'

vi.mock('onnxruntime-web/wasm', () => {
  throw new TypeError('Failed to fetch dynamically imported module')
})

it('says what to do where a part of the bundle does not arrive', async () => {
  const { settings } = resolveWebOptions({ runtimeUrl: '/ort', backend: 'wasm', threads: 1 }, 'https://app.example')
  const started = createWebBackend(settings, { weights: new WeightStore(), onLost: () => {} })
  await expect(started).rejects.toMatchObject({
    code: 'backend_unavailable',
    message: expect.stringMatching(/code could not be loaded.*Serve all files of the bundle.*Service workers/),
    cause: expect.any(Error),
  })
})
