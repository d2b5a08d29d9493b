/**
 * Decisions and pictures in this process, in Node.
 *
 * @module tessera-onnx
 */
export { type BackendStatus, detectBackends } from './backends/index.ts'
export * from './engine/index.ts'
export * from './errors/index.ts'
export * from './evaluate/index.ts'
export * from './schemas/index.ts'
