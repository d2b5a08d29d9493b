import type { OrtRuntime } from '../backends/open-session.ts'
import { BackendUnavailableError } from '../errors/index.ts'

/** The part of the standard that is used here. */
interface GpuDevice {
  readonly lost: Promise<Loss>
}

interface Loss {
  readonly reason: string
  readonly message: string
}

/**
 * Tells when the device that onnxruntime computes on is lost, as when the browser's GPU process or the driver restarts: of
 * the calls that follow some fail, and others never end.
 */
export async function watchDevice(ort: OrtRuntime, onLost: (error: Error) => void): Promise<void> {
  const device = await readDevice(ort)
  const loss = await device?.lost
  if (loss && isFault(loss)) onLost(new Error(`the GPU device was lost (${loss.message || loss.reason})`))
}

/** @throws BackendUnavailableError where an engine before this one in the same thread has lost its device */
export async function refuseLostDevice(ort: OrtRuntime): Promise<void> {
  const device = await readDevice(ort)
  const now = new Promise<undefined>((resolve) => setTimeout(resolve))
  const loss = await Promise.race([device?.lost, now])
  if (loss === undefined || !isFault(loss)) return
  const reason = 'the GPU device was lost, and onnxruntime takes no other one in the same thread'
  throw new BackendUnavailableError('webgpu', reason, 'reload the page, or leave out `worker: false`')
}

/** None before the first session. */
async function readDevice(ort: OrtRuntime): Promise<GpuDevice | undefined> {
  return (await ort.env.webgpu.device) as GpuDevice | undefined
}

/** onnxruntime destroys its device with the last session. */
function isFault({ reason }: Loss): boolean {
  return reason !== 'destroyed'
}
