import { type Backend, createCpuBackend } from '../../src/backends/index.ts'
import { atTheEnd } from './at-the-end.ts'

/** A backend with one thread for the test that asks for it, or for those of the file that does. */
export async function cpuBackend(): Promise<Backend> {
  const backend = await createCpuBackend({ threads: 1 })
  atTheEnd(() => backend.dispose())
  return backend
}
