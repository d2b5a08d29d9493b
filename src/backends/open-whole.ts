import { throwIfAborted } from '../errors/aborted-by.ts'
import type { BuiltGraph } from '../onnx/built-graph.ts'
import type { Backend, DeviceSession, Session } from './backend.ts'
import { withSessions } from './with-sessions.ts'

/** Does some work while nothing else computes. */
export type Alone = <T>(work: () => Promise<T>) => Promise<T>

export interface Opening {
  /** Once it fires no further session is made, and those that were are disposed. */
  readonly signal?: AbortSignal
  /** Called for every session that was made. */
  onOpened?(model: BuiltGraph): void
}

/**
 * Opens something that is made of several sessions. Where that fails half-way, the sessions that were opened are disposed:
 * nobody else knows of them, and the next call tries again. Sessions opened later, such as those of pictures in bands, are
 * closed by who opens them, in turns of their own.
 *
 * @param alone for every session: WebGPU in browsers cannot make one while another computes or is made
 * @param open what to open, with the backend it is given
 * @throws AbortedError where the signal fires before all is open, and what opening throws
 */
export async function openWhole<T>(
  backend: Backend,
  alone: Alone,
  open: (backend: Backend) => Promise<T>,
  { signal, onOpened }: Opening = {},
): Promise<T> {
  const opened: (Session | DeviceSession)[] = []
  const { createDeviceSession } = backend
  let isWhole = false
  async function make<Made extends Session | DeviceSession>(
    model: BuiltGraph,
    create: (model: BuiltGraph) => Promise<Made>,
  ): Promise<Made> {
    if (isWhole) return create(model)
    const session = await alone(() => {
      throwIfAborted(signal)
      return create(model)
    })
    opened.push(session)
    throwIfAborted(signal)
    onOpened?.(model)
    return session
  }
  try {
    const whole = await open(
      withSessions(backend, {
        createSession: (model) => make(model, (graph) => backend.createSession(graph)),
        ...(createDeviceSession && {
          createDeviceSession: (model: BuiltGraph) => make(model, createDeviceSession),
        }),
      }),
    )
    isWhole = true
    return whole
  } catch (error) {
    await Promise.allSettled(opened.map((session) => session.dispose()))
    throw error
  }
}
