import type { BackendName } from './backend.ts'
import { loadOnnxruntimeNode } from './onnxruntime-node.ts'
import { loadOnnxruntimeWeb } from './wasm.ts'

/** Package and version that runs a backend, such as `onnxruntime-node 1.30.0`. */
export async function describeRuntime(name: BackendName): Promise<string> {
  if (name === 'wasm') return `onnxruntime-web ${(await loadOnnxruntimeWeb()).env.versions.web}`
  return `onnxruntime-node ${(await loadOnnxruntimeNode(name)).env.versions.node}`
}
