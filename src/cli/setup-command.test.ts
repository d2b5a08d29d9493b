import { runCommand } from 'citty'
import { afterEach, expect, it, vi } from 'vitest'
import { setupCommand } from './setup-command.ts'

afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = undefined
})

it('sets up CUDA or prunes, and says so', async () => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  await runCommand(setupCommand, { rawArgs: ['webgpu'] })
  expect(write.mock.calls.join('')).toContain("must be cuda or prune, got 'webgpu'")
  expect(process.exitCode).toBe(2)
})
