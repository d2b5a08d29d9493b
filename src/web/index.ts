/**
 * The same engine in browsers.
 *
 * @module tessera-onnx/web
 */
export type {
  BackendInfo,
  CallOptions,
  ControlOption,
  EditImageCallOptions,
  Engine,
  EngineBackendInfo,
  ImageCallOptions,
  LoadOptions,
  ModelInfo,
  Preview,
  Progress,
} from '../engine/index.ts'
export * from '../errors/index.ts'
export * from '../schemas/index.ts'
export { createEngine } from './create-engine.ts'
export type { WebEngineOptions } from './resolve-web-options.ts'
