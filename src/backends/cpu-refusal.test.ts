import { expect, it, vi } from 'vitest'
import { createCpuBackend } from './cpu.ts'

vi.mock('onnxruntime-node', () => ({
  default: { InferenceSession: { create: () => Promise.reject(new Error('illegal instruction')) } },
}))

it('is unavailable where a first product cannot be computed, so that `auto` goes on', async () => {
  const reason = 'it does not compute here (illegal instruction)'
  await expect(createCpuBackend({ threads: 1 })).rejects.toMatchObject({
    code: 'backend_unavailable',
    backend: 'cpu',
    reason,
  })
})
