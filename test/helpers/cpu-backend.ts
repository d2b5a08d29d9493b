import { afterAll, onTestFinished, TestRunner } from 'vitest'
import { type Backend, createCpuBackend } from '../../src/backends/index.ts'

/** A backend with one thread for the test that asks for it, or for those of the file that does. */
export async function cpuBackend(): Promise<Backend> {
  const backend = await createCpuBackend({ threads: 1 })
  const end = () => backend.dispose()
  if (TestRunner.getCurrentTest() === undefined) afterAll(end)
  else onTestFinished(end)
  return backend
}
