import type { BuiltGraph } from '../onnx/built-graph.ts'
import type { SelfTest } from './self-test/self-test.ts'

/**
 * What a task may ask of an execution backend. A backend never knows which model it runs; a task never asks which
 * backend it runs on.
 */

export const BACKEND_NAMES = ['cpu', 'cuda', 'webgpu', 'wasm', 'coreml', 'dml'] as const
export type BackendName = (typeof BACKEND_NAMES)[number]

/** The execution providers of onnxruntime-node besides the CPU. WebGPU is experimental there. */
export type ProviderName = Exclude<BackendName, 'cpu' | 'wasm'>

/** Element types that cross the JS boundary. bf16 never does: onnxruntime rejects such tensors. */
export type ElementType = 'float32' | 'float16' | 'int32' | 'int64' | 'uint8' | 'bool'

export interface Tensor {
  readonly type: ElementType
  readonly dims: readonly number[]
  /** Row-major. `float16` is held as raw bits in a Uint16Array, `bool` as 0/1 bytes. */
  readonly data: Float32Array | Uint16Array | Int32Array | BigInt64Array | Uint8Array
}

/** A result that stays in the memory of the device that computed it. Sessions of the same backend take it as a feed. */
export interface DeviceTensor {
  readonly type: ElementType
  readonly dims: readonly number[]
  readonly location: 'device'
}

export type Feeds = Readonly<Record<string, Tensor | DeviceTensor>>

/** Its functions need no `this`, so that `{ ...session, run }` is the same session, run in another way. */
export interface Session {
  readonly inputNames: readonly string[]
  readonly outputNames: readonly string[]
  /**
   * Runs the graph once. Results are in new memory: onnxruntime-node copies them there, also where it is given some.
   *
   * @param outputs names of those that are wanted; all by default
   */
  run(feeds: Feeds, outputs?: readonly string[]): Promise<Record<string, Tensor>>
  /**
   * Gives the memory of results back at once, not with some later garbage collection; they cannot be read any more. For
   * results of megabytes: they let the collector run at every other call.
   */
  free(results: Readonly<Record<string, Tensor>>): void
  /** Frees the session's memory. Safe to call twice. */
  dispose(): Promise<void>
}

export type CreateSession = (model: BuiltGraph) => Promise<Session>

/** A session whose results stay on the device. */
export interface DeviceSession extends Pick<Session, 'inputNames' | 'outputNames' | 'dispose'> {
  /** Runs the graph once. The results take memory of the device until they are freed. */
  run(feeds: Feeds): Promise<Record<string, DeviceTensor>>
  /** Frees results, each of them once. */
  free(results: Readonly<Record<string, DeviceTensor>>): Promise<void>
}

export type CreateDeviceSession = (model: BuiltGraph) => Promise<DeviceSession>

/**
 * `fused` is one operator, fast and small in memory; `explicit` writes its products out, for execution providers whose
 * fused kernel is wrong.
 */
export type AttentionForm = 'fused' | 'explicit'

/**
 * The type that products and attention of graphs are computed in. In `float16` sums, norms and outputs are 32-bit floats still;
 * KV caches are not.
 */
export type Precision = 'float32' | 'float16'

export interface Backend {
  readonly name: BackendName
  /** The form of attention that the self-test showed to be right here. */
  readonly attention: AttentionForm
  /** It is `float16` on devices where the self-test showed that to be right, else `float32`. */
  readonly precision: Precision
  /** Whether rows of a stored float16 table can be picked: on processors, and on devices that compute in it. */
  readonly movesHalf: boolean
  /**
   * Whether products of 8-bit integers, rounded activations among them, are exact and several times as fast as those of float32: on x64
   * processors with VNNI. @defaultValue false
   */
  readonly fastInt8?: boolean
  /** Devices whose kernels a driver compiles have one; the kernels of `cpu` and `wasm` are tested with the library. */
  readonly selfTest?: SelfTest
  createSession(model: BuiltGraph): Promise<Session>
  /** It exists where the runtime keeps results on the device, which it does on WebGPU only. */
  readonly createDeviceSession?: CreateDeviceSession
  dispose(): Promise<void>
}
