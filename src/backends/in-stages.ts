import type { BuiltGraph } from '../onnx/built-graph.ts'
import type { Backend, Feeds, Session, Tensor } from './backend.ts'
import { withSessions } from './with-sessions.ts'

/**
 * The same backend for a model of several parts that do not fit into memory together: a session is opened when it is first run,
 * and the ones unused for longest are closed before, until what is open stays within `limit` bytes by prediction. One that
 * is larger alone runs all the same. Results are those of sessions that stay open; a part that was closed is read again.
 */
export function inStages(backend: Backend, limit: number): Backend {
  const stage = new Stage(backend, limit)
  return withSessions(backend, {
    createSession: async (model) => stage.add(model),
    dispose: () => backend.dispose(),
  })
}

class Stage {
  readonly #backend: Backend
  readonly #limit: number
  /** Those that are open, the one used last at the end. */
  readonly #open = new Set<StagedSession>()
  /** Openings and closings, one after the other. */
  #changes: Promise<unknown> = Promise.resolve()

  constructor(backend: Backend, limit: number) {
    this.#backend = backend
    this.#limit = limit
  }

  add(model: BuiltGraph): Session {
    const { floats = 0, rest = 0 } = model.memory ?? {}
    return new StagedSession(floats + rest, this, () => this.#backend.createSession(model))
  }

  /** Makes a session the one used last, opened, with what does not fit beside it closed. */
  enter(session: StagedSession): Promise<Session> {
    return this.#change(async () => {
      this.#open.delete(session)
      for (const other of this.#open) {
        if (this.#sumBytes() + session.bytes <= this.#limit) break
        if (other.isRunning) continue
        this.#open.delete(other)
        await other.close()
      }
      const opened = await session.open()
      this.#open.add(session)
      return opened
    })
  }

  leave(session: StagedSession): Promise<void> {
    return this.#change(async () => {
      this.#open.delete(session)
      await session.close()
    })
  }

  #sumBytes(): number {
    return Array.from(this.#open).reduce((sum, { bytes }) => sum + bytes, 0)
  }

  #change<T>(work: () => Promise<T>): Promise<T> {
    const changed = this.#changes.then(work)
    this.#changes = changed.catch(() => {})
    return changed
  }
}

class StagedSession implements Session {
  readonly inputNames: readonly string[] = []
  readonly outputNames: readonly string[] = []
  readonly bytes: number
  readonly #stage: Stage
  readonly #create: () => Promise<Session>
  #session: Session | undefined
  #runs = 0
  #disposed = false

  constructor(bytes: number, stage: Stage, create: () => Promise<Session>) {
    this.bytes = bytes
    this.#stage = stage
    this.#create = create
  }

  get isRunning(): boolean {
    return this.#runs > 0
  }

  async run(feeds: Feeds, outputs?: readonly string[]): Promise<Record<string, Tensor>> {
    if (this.#disposed) throw new Error('This session is disposed; open a new one before running it')
    this.#runs++
    try {
      return await (await this.#stage.enter(this)).run(feeds, outputs)
    } finally {
      this.#runs--
    }
  }

  free(results: Readonly<Record<string, Tensor>>): void {
    this.#session?.free(results)
  }

  async dispose(): Promise<void> {
    this.#disposed = true
    await this.#stage.leave(this)
  }

  async open(): Promise<Session> {
    this.#session ??= await this.#create()
    return this.#session
  }

  async close(): Promise<void> {
    const session = this.#session
    this.#session = undefined
    await session?.dispose()
  }
}
