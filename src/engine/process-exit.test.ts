import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { bundleWorker } from './test-support/bundle-worker.ts'

it('lets the process end while an engine is idle', async () => {
  const script = await bundleWorker('src/engine/test-support/idle-script.ts', 'idle-script')
  const worker = await bundleWorker('src/engine/test-support/fake-worker.ts', 'fake-worker')
  // Rejects on an exit code other than 0; a process that stays alive fails by the timeout of the test.
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [fileURLToPath(script), worker.href])
  expect({ stdout, stderr }).toEqual({ stdout: 'a1 a2', stderr: '' })
})
