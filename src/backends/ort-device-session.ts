import type { BuiltGraph } from '../onnx/built-graph.ts'
import type { DeviceSession, DeviceTensor, Feeds } from './backend.ts'
import {
  mapValues,
  openSession,
  SessionBase,
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
  const session = { ...options.session, preferredOutputLocation: 'gpu-buffer' } as const
  return new OrtDeviceSession(ort, await openSession(ort, model, { ...options, session }))
}

class OrtDeviceSession extends SessionBase implements DeviceSession {
  async run(feeds: Feeds): Promise<Record<string, DeviceTensor>> {
    return mapValues(await this.compute(feeds), (result) => new OrtDeviceTensor(result))
  }

  async free(results: Readonly<Record<string, DeviceTensor>>): Promise<void> {
    for (const result of Object.values(results)) (result as OrtDeviceTensor).tensor.dispose()
  }
}
