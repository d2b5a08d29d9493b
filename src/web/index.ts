/**
 * The same engine in browsers.
 *
 * @module tessera-onnx/web
 */
export type {
  BackendInfo,
  CallOptions,
  CallTimings,
  ControlOption,
  DecideManyOptions,
  DecisionOutcome,
  DecisionRequests,
  EditImageCallOptions,
  Engine,
  EngineActivity,
  EngineBackendInfo,
  ImageCallOptions,
  LoadOptions,
  LoraOption,
  ModelActivity,
  ModelInfo,
  Preview,
  Progress,
  QueueActivity,
  SelfTest,
  TokenCount,
} from '../engine/index.ts'
export * from '../errors/index.ts'
export * from '../schemas/index.ts'
export { createEngine } from './create-engine.ts'
export type { WebEngineOptions } from './resolve-web-options.ts'
