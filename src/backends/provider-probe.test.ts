import { execFile } from 'node:child_process'
import { expect, it, vi } from 'vitest'
import { createBackend } from './create-backend.ts'
import { probeProvider } from './provider-probe.ts'

vi.mock('node:child_process', { spy: true })

it('a provider that may not be tried is not available, and the remedy says what Node needs', async () => {
  vi.mocked(execFile).mockImplementation(() => {
    throw Object.assign(new Error('Access to this API has been restricted'), { code: 'ERR_ACCESS_DENIED' })
  })
  expect(await probeProvider('webgpu')).toMatchObject({
    available: false,
    reason: expect.stringContaining('permission model'),
    remedy: expect.stringContaining('--allow-child-process'),
  })
  await expect(createBackend({ backend: 'webgpu' })).rejects.toMatchObject({ code: 'backend_unavailable' })
})

it('starts no single executable, which would be the app once more', async () => {
  vi.mocked(execFile).mockClear()
  const builtin = vi.spyOn(process, 'getBuiltinModule').mockReturnValue({ isSea: () => true } as never)
  try {
    expect(await probeProvider('webgpu')).toMatchObject({
      available: false,
      reason: expect.stringContaining('single executable'),
    })
  } finally {
    builtin.mockRestore()
  }
  expect(execFile).not.toHaveBeenCalled()
})
