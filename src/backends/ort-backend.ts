import { BackendUnavailableError } from '../errors/index.ts'
import type { Backend, BackendName, GraphModel, Session } from './backend.ts'
import { createOrtSession, type OrtRuntime, type OrtSessionOptions } from './ort-session.ts'
import { checkAddition, checkInPlace } from './self-test.ts'

/** onnxruntime reports through exceptions; at its default level it would also write warnings to the app's stderr. */
const FATAL_ONLY = 4

/**
 * A backend over one execution provider. Computes a sum and runs the in-place self-test first, which takes some
 * milliseconds.
 *
 * @throws BackendUnavailableError when the provider is there but doesn't compute
 */
export async function createOrtBackend(
  name: BackendName,
  ort: OrtRuntime,
  options: OrtSessionOptions,
): Promise<Backend> {
  const quiet = { ...options, session: { ...options.session, logSeverityLevel: FATAL_ONLY } } as const
  const open = (model: GraphModel) => createOrtSession(ort, model, quiet)
  await checkAddition(open).catch((cause: Error) => {
    const reason = `it does not compute here (${cause.message})`
    throw new BackendUnavailableError(name, reason, 'reinstall onnxruntime, or choose another backend', { cause })
  })
  return new OrtBackend(name, await checkInPlace(open), open)
}

class OrtBackend implements Backend {
  readonly name: BackendName
  readonly inPlace: boolean
  readonly #open: (model: GraphModel) => Promise<Session>
  readonly #sessions = new Set<Session>()
  #disposed = false

  constructor(name: BackendName, inPlace: boolean, open: (model: GraphModel) => Promise<Session>) {
    this.name = name
    this.inPlace = inPlace
    this.#open = open
  }

  async createSession(model: GraphModel): Promise<Session> {
    if (this.#disposed) throw new Error(`The ${this.name} backend is disposed; create a new one`)
    const session = await this.#open(model)
    const dispose = session.dispose.bind(session)
    session.dispose = () => {
      this.#sessions.delete(session)
      return dispose()
    }
    this.#sessions.add(session)
    return session
  }

  async dispose(): Promise<void> {
    this.#disposed = true
    await Promise.all([...this.#sessions].map((session) => session.dispose()))
  }
}
