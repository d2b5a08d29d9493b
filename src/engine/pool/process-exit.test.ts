import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import { writeTinyBundle } from '../../../test/helpers/tiny-bundle.ts'
import { bundleWorker } from '../test-support/bundle-worker.ts'

async function exitDuringJob(delay: number): Promise<number | null> {
  const folder = await writeTinyBundle()
  try {
    const child = spawn(process.execPath, [exitScript, folder, String(delay)], { stdio: 'ignore' })
    const [code] = (await once(child, 'exit')) as [number | null]
    return code
  } finally {
    await rm(folder, { recursive: true })
  }
}

let exitScript: string
beforeAll(async () => {
  exitScript = fileURLToPath(await bundleWorker('src/engine/test-support/exit-script.ts', 'exit-script'))
})

it.each([0, 30, 100])('lets the process exit while the worker is in native code (%i ms into it)', async (delay) => {
  // Null would be the code of a process that a signal ended: the binding aborts when its thread is torn down.
  expect(await exitDuringJob(delay)).toBe(7)
})

it('lets the process end while an engine is idle', async () => {
  const script = await bundleWorker('src/engine/test-support/idle-script.ts', 'idle-script')
  const worker = await bundleWorker('src/engine/test-support/fake-worker.ts', 'fake-worker')
  // Rejects on an exit code other than 0; a process that stays alive fails by the timeout of the test.
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [fileURLToPath(script), worker.href])
  expect({ stdout, stderr }).toEqual({ stdout: 'a1 a2', stderr: '' })
})
