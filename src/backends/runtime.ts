import type { BackendName } from './backend.ts'
import { loadOnnxruntimeNode } from './onnxruntime-node.ts'
import { observeTelemetry, type RuntimeTelemetry } from './runtime-telemetry.ts'
import { loadOnnxruntimeWeb } from './wasm.ts'

export interface RuntimeDescription {
  /** Package and version, such as `onnxruntime-node 1.30.0`. */
  readonly runtime: string
  /** Whether that package reports to its maker; onnxruntime-web never does. */
  readonly runtimeTelemetry: RuntimeTelemetry
}

/** Describes the package that runs a backend which has computed something. */
export async function describeRuntime(name: BackendName): Promise<RuntimeDescription> {
  if (name === 'wasm') {
    const { env } = await loadOnnxruntimeWeb()
    return { runtime: `onnxruntime-web ${env.versions.web}`, runtimeTelemetry: 'off' }
  }
  const { env } = await loadOnnxruntimeNode(name)
  return { runtime: `onnxruntime-node ${env.versions.node}`, runtimeTelemetry: await observeTelemetry() }
}
