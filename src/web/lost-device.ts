import type { Backend, Feeds } from '../backends/backend.ts'
import type { OrtRuntime } from '../backends/open-session.ts'
import { withSessions } from '../backends/with-sessions.ts'
import { BackendUnavailableError } from '../errors/index.ts'
import type { BuiltGraph } from '../onnx/built-graph.ts'

/** The part of the standard that is used here. */
interface GpuDevice {
  readonly lost: Promise<Loss>
}

interface Loss {
  readonly reason: string
  readonly message: string
}

/** The browser tells of a loss some moments after the first work that fails by it. In milliseconds. */
const LATEST_NEWS = 1000

/**
 * The same backend, and tells when the device that onnxruntime computes on is lost, as when the browser's GPU process or the
 * driver restarts: of the calls that follow some fail, and others never end. Those that fail do not end either, as who is
 * told ends all of them, and says why.
 */
export function watchDevice(backend: Backend, ort: OrtRuntime, onLost: (error: Error) => void): Backend {
  const tell = (loss: Loss) => onLost(new Error(`the GPU device was lost (${loss.message || loss.reason})`))
  void waitForLoss(ort).then((loss) => isFault(loss) && tell(loss))
  async function unlessLost<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      const none = new Promise<undefined>((resolve) => setTimeout(resolve, LATEST_NEWS))
      const loss = await Promise.race([waitForLoss(ort), none])
      if (loss === undefined) throw error
      // Whoever destroyed it while it computed, it is no more.
      if (!isFault(loss)) tell(loss)
      return new Promise<T>(() => {})
    }
  }
  const { createDeviceSession } = backend
  return withSessions(backend, {
    createSession: async (model) => {
      const session = await unlessLost(backend.createSession(model))
      return { ...session, run: (...call) => unlessLost(session.run(...call)) }
    },
    ...(createDeviceSession && {
      createDeviceSession: async (model: BuiltGraph) => {
        const session = await unlessLost(createDeviceSession(model))
        return { ...session, run: (feeds: Feeds) => unlessLost(session.run(feeds)) }
      },
    }),
  })
}

/** It does not end while the device is there. */
async function waitForLoss(ort: OrtRuntime): Promise<Loss> {
  const device = await readDevice(ort)
  return device?.lost ?? new Promise(() => {})
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
