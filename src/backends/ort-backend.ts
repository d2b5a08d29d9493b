import { BackendUnavailableError } from '../errors/index.ts'
import type { BuiltGraph } from '../onnx/built-graph.ts'
import type { Backend, BackendName, CreateDeviceSession, CreateSession, Session } from './backend.ts'
import type { OrtRuntime, OrtSessionOptions } from './open-session.ts'
import { createOrtDeviceSession } from './ort-device-session.ts'
import { createOrtSession } from './ort-session.ts'
import { buildAddModel } from './probe-models.ts'
import { checkAddition } from './self-test/check-addition.ts'
import { judgeSelfTest } from './self-test/judge-self-test.ts'
import { runHalfSelfTest, runSelfTest } from './self-test/run-self-test.ts'

/** onnxruntime reports through exceptions; at its default level it would also write warnings to the app's stderr. */
const FATAL_ONLY = 4

export interface OrtBackendOptions extends OrtSessionOptions {
  readonly kind: 'processor' | 'device' | 'device without half'
  /** See `Backend`; @defaultValue false */
  readonly fastInt8?: boolean
  /** What helps where it does not compute. @defaultValue that for an installed onnxruntime */
  readonly remedy?: string
}

/**
 * A backend over one execution provider. A device is taken after a self-test of every operator that graphs use, which
 * takes it seconds, since it compiles a kernel for each; a processor after a sum, in some milliseconds.
 *
 * @throws BackendUnavailableError when the provider is there but doesn't compute right
 */
export async function createOrtBackend(
  name: BackendName,
  ort: OrtRuntime,
  options: OrtBackendOptions,
): Promise<Backend> {
  const quiet = { ...options, session: { ...options.session, logSeverityLevel: FATAL_ONLY } } as const
  const open = (model: BuiltGraph) => createOrtSession(ort, model, quiet)
  // onnxruntime gives operators that the device lacks to the processor, with copies there and back.
  const openOnDevice = (model: BuiltGraph) =>
    createOrtSession(ort, model, { ...quiet, config: { ...quiet.config, 'session.disable_cpu_ep_fallback': '1' } })
  const openKeeping = name === 'webgpu' ? (model: BuiltGraph) => createOrtDeviceSession(ort, model, quiet) : undefined
  const opens = { open, openKeeping }
  await mustCompute(name, checkAddition(open, openKeeping), options.remedy)
  if (options.kind === 'processor') {
    const fast = options.fastInt8 ? { fastInt8: true } : {}
    return ownSessions({ name, attention: 'fused', precision: 'float32', movesHalf: true, ...fast }, opens)
  }
  // A device is let go with its last session, and what it has compiled with it; this one keeps both.
  const held = await open(buildAddModel())
  try {
    const whole = await runSelfTest(open, openOnDevice)
    // One that is wrong is refused before anything else of it is tried.
    const single = judgeSelfTest(name, whole)
    // A device that says it has no float16 is not asked: in browsers onnxruntime writes such errors to the page's console.
    const isAsked = options.kind === 'device'
    const judged = isAsked ? judgeSelfTest(name, whole, await runHalfSelfTest(open, openOnDevice)) : single
    return ownSessions({ name, ...judged, movesHalf: judged.precision === 'float16' }, opens, [held])
  } catch (error) {
    await held.dispose()
    throw error
  }
}

/** @throws BackendUnavailableError when a first run fails */
export function mustCompute<Result>(
  name: BackendName,
  run: Promise<Result>,
  remedy = 'reinstall onnxruntime, or choose another backend',
): Promise<Result> {
  return run.catch((cause: Error) => {
    const reason = `it does not compute here (${cause.message})`
    throw new BackendUnavailableError(name, reason, remedy, { cause })
  })
}

interface Opens {
  readonly open: CreateSession
  readonly openKeeping: CreateDeviceSession | undefined
}

type Owned = Pick<Session, 'dispose'>

/** The backend over these ways to open sessions, which are all disposed with it at the latest, those that are held as well. */
function ownSessions(
  shown: Omit<Backend, 'createSession' | 'createDeviceSession' | 'dispose'>,
  { open, openKeeping }: Opens,
  held: readonly Owned[] = [],
): Backend {
  const sessions = new Set(held)
  let disposed = false
  const own = async <Kind extends Owned>(opening: () => Promise<Kind>): Promise<Kind> => {
    if (disposed) throw new Error(`The ${shown.name} backend is disposed; create a new one`)
    const session = await opening()
    if (disposed) {
      await session.dispose()
      throw new Error(`The ${shown.name} backend was disposed while a session was opened`)
    }
    const dispose = session.dispose.bind(session)
    session.dispose = () => {
      sessions.delete(session)
      return dispose()
    }
    sessions.add(session)
    return session
  }
  return {
    ...shown,
    createSession: (model) => own(() => open(model)),
    ...(openKeeping && { createDeviceSession: (model: BuiltGraph) => own(() => openKeeping(model)) }),
    async dispose() {
      disposed = true
      await Promise.all([...sessions].map((session) => session.dispose()))
    },
  }
}
