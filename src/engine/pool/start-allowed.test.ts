import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { bundleWorker } from '../test-support/bundle-worker.ts'

const flag = process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission'

it.each([
  ['thread', '--allow-worker, or the engine with `worker: false`'],
  ['process', "--allow-child-process, or the engine without `worker: 'process'`"],
])("names what to allow where Node's permission model forbids a %s", async (kind, remedy) => {
  const script = await bundleWorker('src/engine/test-support/permission-script.ts', 'permission-script')
  const worker = await bundleWorker('src/engine/test-support/fake-worker.ts', 'fake-worker')
  const args = [flag, '--allow-fs-read=*', fileURLToPath(script), kind, worker.href]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  expect(JSON.parse(stdout)).toEqual({
    code: 'internal_error',
    retryable: false,
    message: `Node's permission model keeps the engine from starting its worker: start the app with ${remedy}`,
  })
})
