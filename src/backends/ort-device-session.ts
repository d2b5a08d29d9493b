import type { BuiltGraph } from '../onnx/built-graph.ts'
import type { DeviceSession } from './backend.ts'
import {
  holdSession,
  mapValues,
  openSession,
  OrtDeviceTensor,
  type OrtRuntime,
  type OrtSessionOptions,
} from './open-session.ts'

/** A session whose results stay on the device; both runtimes have that on WebGPU. */
export async function createOrtDeviceSession(
  ort: OrtRuntime,
  model: BuiltGraph,
  options: OrtSessionOptions,
): Promise<DeviceSession> {
  const kept = { ...options, session: { ...options.session, preferredOutputLocation: 'gpu-buffer' } } as const
  const { compute, ...session } = holdSession(ort, await openSession(ort, model, kept))
  return {
    ...session,
    run: async (feeds) => mapValues(await compute(feeds), (result) => new OrtDeviceTensor(result)),
    async free(results) {
      for (const result of Object.values(results)) (result as OrtDeviceTensor).tensor.dispose()
    },
  }
}
