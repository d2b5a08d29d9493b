export type {
  AttentionForm,
  Backend,
  BackendName,
  DeviceSession,
  DeviceTensor,
  Feeds,
  Precision,
  Session,
  Tensor,
} from './backend.ts'
export { BACKEND_NAMES } from './backend.ts'
export { createCpuBackend } from './cpu.ts'
export { createBackend, type BackendChoice } from './create-backend.ts'
export type { SelfTest } from './self-test/self-test.ts'
export { countDefaultThreads } from './platform.ts'
export { plugAndPlayFlags } from './plug-and-play.ts'
export { isSingleExecutable } from './single-executable.ts'
export { countUsableProcessors } from './usable-processors.ts'
export { decideTelemetry, observeTelemetry, type RuntimeTelemetry } from './runtime-telemetry.ts'
export { detectBackends, type BackendStatus } from './detect.ts'
export type { BuiltGraph } from '../onnx/built-graph.ts'
export {
  findRuntimeFolders,
  findSurplus,
  type RuntimeFolders,
  type SurplusOptions,
  WASM_FILES_OF_NODE,
  WASM_FILES_OF_PAGES,
} from './surplus-files.ts'
