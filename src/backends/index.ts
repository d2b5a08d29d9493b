export type { Backend, BackendName, ElementType, GraphModel, Session, Tensor } from './backend.ts'
export { createCpuBackend, type CpuBackendOptions } from './cpu.ts'
export { createBackend, type BackendChoice, type BackendOptions } from './create-backend.ts'
export { detectBackends, type BackendStatus } from './detect.ts'
