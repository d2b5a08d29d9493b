import type { Backend, BackendChoice } from '../backends/index.ts'
// By its own file: the folder's contents page would bring Node's runtime into browsers.
import { type Alone, openWhole } from '../backends/open-whole.ts'
import { InvalidRequestError, toTesseraError } from '../errors/index.ts'
import { DEFAULT_MODELS } from './default-models.ts'
import type { JobKind, Jobs, Progress } from './jobs.ts'
import { type Openable, OpenModels } from './open-models.ts'
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
  #source: TaskSource | undefined
  #backend: Backend | undefined
  #models: OpenModels | undefined

  constructor(createSource: CreateTaskSource, createBackend: CreateBackend, post: (message: FromWorker) => void) {
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
    await this.#models?.dispose()
    await this.#backend?.dispose()
  }

  async #start(settings: EngineSettings): Promise<void> {
    try {
      const { backend, chosen, ...choice } = await this.#createBackend(settings)
      this.#backend = backend
      this.#source = this.#createSource(settings)
      this.#models = new OpenModels(settings)
      const { attention, precision, selfTest } = backend
      const shown = { attention, precision, ...(selfTest && { selfTest }) }
      const info = { backend: chosen, ...choice, ...shown }
      this.#post({ type: 'started', info })
    } catch (error) {
      this.#post({ type: 'start-failed', error: toTesseraError(error).toJSON() })
    }
  }

  async #run({ id, kind, model, request, reports }: RunMessage): Promise<void> {
    const controller = new AbortController()
    this.#aborts.set(id, controller)
    const place = this.#turns.join(controller.signal)
    const onProgress = (progress: Progress) => {
      if (reports && !controller.signal.aborted) this.#post({ type: 'progress', id, progress })
    }
    try {
      const context = { turn: () => place.turn(), signal: controller.signal, onProgress }
      const work = async (task: Task, served: string) => {
        // Not before: opening a model, a download in browsers, must not keep the others from computing.
        await place.turn()
        return perform(task, kind, served, request, context)
      }
      const response = await this.#use(model, DEFAULT_MODELS[kind], work, context)
      this.#post({ type: 'result', id, response })
    } catch (error) {
      this.#post({ type: 'error', id, error: toTesseraError(error).toJSON() })
    } finally {
      place.leave()
      this.#aborts.delete(id)
    }
  }

  /** Does some work with the model of a name, which is open once for all the names it goes by. */
  async #use<T>(
    name: string,
    fallback: string,
    work: (task: Task, served: string) => Promise<T>,
    { signal, onProgress }: TaskContext,
  ): Promise<T> {
    const source = this.#source
    const backend = this.#backend
    const models = this.#models
    if (source === undefined || backend === undefined || models === undefined) {
      throw new Error('a job came before the start message')
    }
    const model = await source.resolve(name, fallback)
    const alone: Alone = (create) => this.#turns.take(create)
    const openable: Openable = {
      folder: model.folder,
      weigh: async () => (await source.describe(model)).bytes,
      open: (opening) =>
        openWhole(backend, alone, (whole) => source.open(model, whole, { signal: opening, onProgress })),
    }
    const served = model.id === name ? `'${name}'` : `'${name}', which ${model.id} serves here,`
    return models.use(openable, signal, (task) => work(task, served))
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
  served: string,
  request: Jobs[Kind]['request'],
  context: TaskContext,
): Promise<Jobs[Kind]['response']> {
  // One member for each kind, which the compiler doesn't follow through a type parameter.
  const work = task[kind] as Work<Kind> | undefined
  if (work === undefined) throw new InvalidRequestError('model', `${served} is not a model for ${kind}`)
  return work.call(task, request, context)
}
