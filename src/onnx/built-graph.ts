import type { GraphMemory, RunMemory } from './weigh-graph.ts'

/** An ONNX model made in memory. Its large initializers are external data in files of one folder (or in `files`). */
export interface BuiltGraph {
  /** Serialised ModelProto without the external weights. */
  readonly bytes: Uint8Array
  /** The memory that a session of it will hold on a processor; absent on models that no `GraphBuilder` made. */
  readonly memory?: GraphMemory
  /** Folder, or URL of one in browsers, that the weight files are in. */
  readonly folder?: string
  /** Names of the weight files there that the model refers to. */
  readonly weightFiles?: readonly string[]
  /** Names of the tensors in them that it computes with. */
  readonly tensors?: readonly string[]
  /** The weight files themselves, where there is no file system (browser). */
  readonly files?: readonly { readonly path: string; readonly data: Uint8Array }[]
}

/** The same graph, which says what its runs hold. */
export function withRun(graph: BuiltGraph, run: RunMemory): BuiltGraph {
  return { ...graph, memory: { floats: 0, rest: 0, ...graph.memory, run } }
}
