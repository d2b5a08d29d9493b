import { expect, it } from 'vitest'
import { runTessera } from '../test-support/run-tessera.ts'

it('sets up CUDA or prunes, and says so', async () => {
  const { code, stderr } = await runTessera('setup', 'webgpu')
  expect([code, stderr]).toEqual([2, expect.stringContaining("must be cuda or prune, got 'webgpu'")])
})
