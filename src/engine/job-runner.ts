import type { Backend, BackendChoice } from '../backends/index.ts'
import { InvalidRequestError, toTesseraError } from '../errors/index.ts'
import type { JobKind, Jobs } from './jobs.ts'
import type { FromWorker, RunMessage, ToWorker } from './protocol.ts'
import type { EngineSettings } from './resolve-options.ts'
import type { Task, TaskContext, TaskSource } from './task.ts'
import { Turns } from './turns.ts'

export type CreateBackend = (settings: EngineSettings) => Promise<BackendChoice>
export type CreateTaskSource = (settings: EngineSettings) => TaskSource

/** The computing side of an engine: owns the backend and the opened models, whichever thread it is in. */
export class JobRunner {
  readonly #post: (message: FromWorker) => void
  readonly #createSource: CreateTaskSource
  readonly #createBackend: CreateBackend
  readonly #turns = new Turns()
  readonly #aborts = new Map<number, AbortController>()
  readonly #runs = new Set<Promise<void>>()
  readonly #tasks = new Map<string, Promise<Task>>()
  #source: TaskSource | undefined
  #backend: Backend | undefined

  constructor(
    createSource: CreateTaskSource,
    createBackend: CreateBackend,
    post: (message: FromWorker) => void,
  ) {
    this.#createSource = createSource
    this.#createBackend = createBackend
    this.#post = post
  }

  /** Never rejects: everything that goes wrong is answered with a message. */
  async handle(message: ToWorker): Promise<void> {
    if (message.type === 'start') return this.#start(message.settings)
    if (message.type === 'abort') return this.#aborts.get(message.id)?.abort()
    const run = this.#run(message)
    this.#runs.add(run)
    await run
    this.#runs.delete(run)
  }

  /** Aborts the jobs, waits until they have stopped, and frees models and backend. */
  async dispose(): Promise<void> {
    for (const controller of this.#aborts.values()) controller.abort()
    await Promise.all(this.#runs)
    const opened = await Promise.allSettled(this.#tasks.values())
    this.#tasks.clear()
    for (const task of opened) if (task.status === 'fulfilled') await task.value.dispose()
    await this.#backend?.dispose()
  }

  async #start(settings: EngineSettings): Promise<void> {
    try {
      const { backend, chosen, reason, tried, threads, runtime } = await this.#createBackend(settings)
      this.#backend = backend
      this.#source = this.#createSource(settings)
      const info = { backend: chosen, reason, tried, threads, runtime, inPlace: backend.inPlace }
      this.#post({ type: 'started', info })
    } catch (error) {
      this.#post({ type: 'start-failed', error: toTesseraError(error).toJSON() })
    }
  }

  async #run({ id, kind, model, request }: RunMessage): Promise<void> {
    const controller = new AbortController()
    this.#aborts.set(id, controller)
    const place = this.#turns.join(controller.signal)
    try {
      await place.turn()
      const task = await this.#open(model)
      const response = await perform(task, kind, model, request, {
        turn: () => place.turn(),
        signal: controller.signal,
        onProgress: (progress) => this.#post({ type: 'progress', id, progress }),
      })
      this.#post({ type: 'result', id, response })
    } catch (error) {
      this.#post({ type: 'error', id, error: toTesseraError(error).toJSON() })
    } finally {
      place.leave()
      this.#aborts.delete(id)
    }
  }

  /**
   * Opens a model on its first job, once for all the names it goes by. A failure is not kept, so that the next job tries
   * again.
   */
  async #open(name: string): Promise<Task> {
    const source = this.#source
    const backend = this.#backend
    if (source === undefined || backend === undefined) throw new Error('a job came before the start message')
    const model = await source.resolve(name)
    const opened = this.#tasks.get(model.folder)
    if (opened) return opened
    const opening = source.open(model, backend)
    this.#tasks.set(model.folder, opening)
    opening.catch(() => this.#tasks.delete(model.folder))
    return opening
  }
}

type Work<Kind extends JobKind> = (
  this: Task,
  request: Jobs[Kind]['request'],
  context: TaskContext,
) => Promise<Jobs[Kind]['response']> | Jobs[Kind]['response']

async function perform<Kind extends JobKind>(
  task: Task,
  kind: Kind,
  model: string,
  request: Jobs[Kind]['request'],
  context: TaskContext,
): Promise<Jobs[Kind]['response']> {
  // One member for each kind, which the compiler doesn't follow through a type parameter.
  const work = task[kind] as Work<Kind> | undefined
  if (work === undefined) throw new InvalidRequestError('model', `'${model}' is not a model for ${kind}`)
  return work.call(task, request, context)
}
