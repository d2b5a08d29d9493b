import type { Backend } from '../../src/backends/backend.ts'

/** The same backend, as if its processor were fast or slow at products of 8-bit integers. */
export function withInt8(backend: Backend, fastInt8: boolean): Backend {
  return { ...backend, fastInt8 }
}
