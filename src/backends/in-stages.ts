import type { BuiltGraph } from '../onnx/built-graph.ts'
import type { Backend, Feeds, Session } from './backend.ts'
import { withSessions } from './with-sessions.ts'

/**
 * The same backend for a model of several parts: a session is opened when it is first run, and those unused for longest are
 * closed before, until what is open stays within `limit` bytes by prediction, with pages of their files and what runs hold. One that
 * is larger alone runs all the same. Results are those of sessions that stay open; a part that was closed is read again.
 *
 * @param atOnce opens sessions when they are made, as long as they fit. Of one that is closed for another the process keeps memory that only later
 * ones can take, so this is for models that fit as a whole in the usual case. @defaultValue false
 */
export function inStages(backend: Backend, limit: number, atOnce = false): Backend {
  const stage = new Stage(backend, limit, atOnce)
  return withSessions(backend, { createSession: (model) => stage.add(model) })
}

class Stage {
  readonly #backend: Backend
  readonly #limit: number
  readonly #atOnce: boolean
  /** Those that are open, the one used last at the end. */
  readonly #open = new Set<StagedSession>()
  /** Openings and closings, one after the other. */
  #changes: Promise<unknown> = Promise.resolve()

  constructor(backend: Backend, limit: number, atOnce: boolean) {
    this.#backend = backend
    this.#limit = limit
    this.#atOnce = atOnce
  }

  async add(model: BuiltGraph): Promise<Session> {
    const session = new StagedSession(model.memory, this, () => this.#backend.createSession(model))
    if (!this.#atOnce) return session
    await this.#change(async () => {
      if (!this.#fits(session)) return
      await session.open()
      this.#open.add(session)
    })
    return session
  }

  /** Begins a run that holds so many bytes: makes its session the one used last, opened, with what does not fit beside it closed. */
  enter(session: StagedSession, bytes: number): Promise<Session> {
    return this.#change(async () => {
      this.#open.delete(session)
      session.kept = Math.max(session.kept, bytes)
      for (const other of this.#open) {
        if (this.#fits(session)) break
        if (other.runs > 0) continue
        this.#open.delete(other)
        await other.close()
      }
      const opened = await session.open()
      this.#open.add(session)
      session.runs++
      return opened
    })
  }

  leave(session: StagedSession): Promise<void> {
    return this.#change(async () => {
      this.#open.delete(session)
      await session.close()
    })
  }

  /** Whether a session that is not among the open ones fits beside them. */
  #fits(session: StagedSession): boolean {
    return Array.from(this.#open).reduce((sum, { bytes }) => sum + bytes, session.bytes) <= this.#limit
  }

  #change<T>(work: () => Promise<T>): Promise<T> {
    const changed = this.#changes.then(work)
    this.#changes = changed.catch(() => {})
    return changed
  }
}

/** Its functions need no `this`, as those of all sessions. */
class StagedSession implements Session {
  readonly inputNames: readonly string[] = []
  readonly outputNames: readonly string[] = []
  /** Runs under way. */
  runs = 0
  /** Bytes that the largest run since it was opened holds, or held: they are kept for the next one. */
  kept = 0
  readonly #memory: NonNullable<BuiltGraph['memory']>
  readonly #stage: Stage
  readonly #create: () => Promise<Session>
  #session: Session | undefined
  #disposed = false

  constructor(memory: BuiltGraph['memory'] = { floats: 0, rest: 0 }, stage: Stage, create: () => Promise<Session>) {
    this.#memory = memory
    this.#stage = stage
    this.#create = create
  }

  get bytes(): number {
    const { floats, rest, mapped = 0 } = this.#memory
    return floats + rest + mapped + this.kept
  }

  readonly run: Session['run'] = async (feeds, outputs) => {
    if (this.#disposed) throw new Error('This session is disposed; open a new one before running it')
    const session = await this.#stage.enter(this, predictRun(this.#memory.run, feeds))
    try {
      return await session.run(feeds, outputs)
    } finally {
      this.runs--
    }
  }

  readonly free: Session['free'] = (results) => this.#session?.free(results)

  readonly dispose = async (): Promise<void> => {
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
    this.kept = 0
    await session?.dispose()
  }
}

function predictRun(run: NonNullable<BuiltGraph['memory']>['run'], feeds: Feeds): number {
  if (run === undefined) return 0
  const elements = feeds[run.input]?.dims.reduce((product, dim) => product * dim, 1) ?? 0
  return elements * run.bytes
}
