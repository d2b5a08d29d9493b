// These import the files themselves: the folder's contents page would bring Node's runtime into browsers.
import { isFullDevice } from '../../backends/full-device.ts'
import { inStages } from '../../backends/in-stages.ts'
import type { Backend, BackendChoice } from '../../backends/index.ts'
import { type Alone, openWhole } from '../../backends/open-whole.ts'
import { withoutSessions } from '../../backends/without-sessions.ts'
import { InvalidRequestError, toTesseraError } from '../../errors/index.ts'
import type { JobContext, Progress } from '../../jobs/job-context.ts'
import type { Preview } from '../../jobs/preview.ts'
import { isOutOfFiles } from '../../models/files/is-out-of-files.ts'
import type { CallKind, Calls, JobKind, Jobs, LoadRequest } from '../jobs.ts'
import { fitsWhole, type MemoryPrediction, stageLimit } from '../memory/memory-prediction.ts'
import type { EngineSettings } from '../options/resolve-options.ts'
import type { FromWorker, RunMessage, ToWorker } from '../pool/protocol.ts'
import { isCodeMissing } from './is-code-missing.ts'
import { openKey } from './open-key.ts'
import { type Openable, OpenModels } from './open-models.ts'
import { Stint } from './stint.ts'
import type { JobsDone, ResolvedModel, Task, TaskSource } from './task.ts'
import { Turns } from './turns.ts'
import { warmUp } from './warm-up.ts'
import { watchLoading } from './watch-loading.ts'

export type CreateBackend = (settings: EngineSettings) => Promise<BackendChoice>
export type CreateTaskSource = (settings: EngineSettings) => TaskSource

/** Follows a folder's name where the model is open for counting tokens only; no path has such a character. */
const TOKENS_ONLY = '\0tokens'

/** Progress is told in any case: of opening the model too. */
type TellingContext = JobContext & Required<Pick<JobContext, 'onProgress'>>

interface Parts {
  readonly backend: Backend
  readonly source: TaskSource
  readonly models: OpenModels
  readonly memoryBudget: number
}

/** The computing side of an engine: owns the backend and the opened models, whichever thread it is in. */
export class JobRunner {
  readonly #post: (message: FromWorker) => void
  readonly #createSource: CreateTaskSource
  readonly #createBackend: CreateBackend
  readonly #onBroken: () => void
  readonly #turns = new Turns()
  readonly #aborts = new Map<number, AbortController>()
  readonly #runs = new Set<Promise<void>>()
  /** They are there once the start message has come. */
  #parts: Parts | undefined

  /** @param onBroken called where code could not be loaded, and never will be in this thread */
  constructor(
    createSource: CreateTaskSource,
    createBackend: CreateBackend,
    post: (message: FromWorker) => void,
    onBroken = () => {},
  ) {
    this.#onBroken = onBroken
    this.#createSource = createSource
    this.#createBackend = createBackend
    this.#post = post
  }

  /** The promise never rejects: everything that goes wrong is answered with a message. */
  async handle(message: ToWorker): Promise<void> {
    if (message.type === 'forget') return this.#forget()
    if (message.type === 'abort') return this.#aborts.get(message.id)?.abort()
    if (message.type === 'release') return this.#parts?.models.release(message.model)
    const run = message.type === 'start' ? this.#start(message.settings) : this.#run(message)
    this.#runs.add(run)
    await run
    this.#runs.delete(run)
  }

  async #forget(): Promise<void> {
    await this.dispose()
    this.#post({ type: 'forgotten' })
  }

  /** Aborts the jobs, waits until they and the start have ended, and frees models and backend. */
  async dispose(): Promise<void> {
    for (const controller of this.#aborts.values()) controller.abort()
    await Promise.all(this.#runs)
    await this.#parts?.models.dispose()
    await this.#parts?.backend.dispose()
  }

  async #start(settings: EngineSettings): Promise<void> {
    try {
      const { backend, chosen, ...choice } = await this.#createBackend(settings)
      const { memoryBudget } = settings
      const source = this.#createSource(settings)
      this.#parts = { backend, source, models: new OpenModels(settings, source.memory?.held), memoryBudget }
      const { attention, precision, selfTest } = backend
      const shown = { attention, precision, ...(selfTest && { selfTest }) }
      const info = { backend: chosen, ...choice, ...shown }
      this.#post({ type: 'started', info })
    } catch (error) {
      this.#post({ type: 'start-failed', error: toTesseraError(error).toJSON() })
    }
  }

  async #run(message: RunMessage): Promise<void> {
    const { id, reports, previews, keepFor } = message
    const controller = new AbortController()
    this.#aborts.set(id, controller)
    const place = this.#turns.join(controller.signal)
    const onProgress = (progress: Progress) => {
      if (reports && !controller.signal.aborted) this.#post({ type: 'progress', id, progress })
    }
    const onPreview = (preview: Preview) => {
      if (!controller.signal.aborted) this.#post({ type: 'preview', id, preview })
    }
    const context = { turn: () => place.turn(), onProgress, ...(previews && { onPreview }), keepFor }
    const stint = new Stint()
    try {
      const response = await this.#answer(message, context, controller.signal, stint)
      this.#post({ type: 'result', id, response, served: stint.end()! })
    } catch (error) {
      const served = stint.end()
      // Files of models have errors of their own.
      if (isOutOfFiles(error) || isCodeMissing(error)) this.#onBroken()
      const spent = isFullDevice(error) ? { spent: 'another call has used up the memory of the GPU' } : {}
      this.#post({ type: 'error', id, error: toTesseraError(error).toJSON(), ...(served && { served }), ...spent })
    } finally {
      place.leave()
      this.#aborts.delete(id)
    }
  }

  /** Does a job with the model of its name, which is open once for all the names it goes by. */
  async #answer(
    { kind, model: name, lora, request }: RunMessage,
    context: TellingContext,
    signal: AbortSignal,
    stint: Stint,
  ): Promise<Calls[CallKind]['response']> {
    if (this.#parts === undefined) throw new Error('a job came before the start message')
    const { source, models } = this.#parts
    const resolved = await source.resolve(name)
    const model = lora.length === 0 ? resolved : { ...resolved, lora: (await source.look?.(lora)) ?? lora }
    stint.model = model.id
    const needsWeights = kind !== 'countTokens' || models.isOpen(openKey(model))
    const openable = needsWeights ? this.#openable(this.#parts, model) : this.#countable(this.#parts, model)
    const work = async (task: Task) => {
      // The turn is taken only now: opening a model, a download in browsers, must not keep the others from computing.
      await context.turn()
      stint.begin()
      if (kind === 'load') {
        await warmUp(task, context)
        // Whoever aborted it was told that nothing stays open.
        if ((request as LoadRequest).keepOpen && !signal.aborted) models.keep(openKey(model), name)
        return null
      }
      const served = model.id === name ? `'${name}'` : `'${name}', which ${model.id} serves here,`
      return perform(task, kind, served, request as Jobs[JobKind]['request'], context)
    }
    return models.use(openable, signal, work, context.onProgress)
  }

  #openable({ source, backend, memoryBudget }: Parts, model: ResolvedModel): Openable {
    const alone: Alone = (create) => this.#turns.take(create)
    let prediction: MemoryPrediction | undefined
    let room = memoryBudget
    return {
      folder: openKey(model),
      weigh: async (signal) => {
        // A device has memory of its own.
        if (backend.selfTest === undefined) prediction = await source.memory?.predict(model, backend)
        return prediction?.open ?? (await source.describe(model, signal)).bytes
      },
      admit: async (reusable) => {
        if (prediction === undefined) return 0
        room = Math.min(room, (await source.memory?.require(model, prediction, reusable)) ?? room)
        return Math.min(prediction.open, stageLimit(prediction, room) ?? prediction.open)
      },
      note: (change, milliseconds) => this.#post({ type: 'model', model: model.id, change, milliseconds }),
      open: (signal, onProgress) =>
        watchLoading(prediction?.open, onProgress, (onOpened) => {
          const limit = prediction && stageLimit(prediction, room)
          const stage = (whole: Backend) =>
            limit === undefined ? whole : inStages(whole, limit, prediction && fitsWhole(prediction, room))
          const open = (whole: Backend) => source.open(model, stage(whole), { signal, onProgress })
          return openWhole(backend, alone, open, { signal, onOpened })
        }),
    }
  }

  /** The model for counting alone: its tokenizer and what it says of itself, without its weights. */
  #countable({ source, backend }: Parts, model: ResolvedModel): Openable {
    return {
      folder: `${openKey(model)}${TOKENS_ONLY}`,
      weigh: () => Promise.resolve(0),
      open: (signal, onProgress) =>
        source.open(model, withoutSessions(backend), { signal, onProgress, withoutWeights: true }),
    }
  }
}

async function perform<Kind extends JobKind>(
  task: Task,
  kind: Kind,
  served: string,
  request: Jobs[Kind]['request'],
  context: JobContext,
): Promise<Jobs[Kind]['response']> {
  const work: JobsDone[Kind] = task[kind]
  if (work === undefined) throw new InvalidRequestError('model', `${served} is not a model for ${kind}`)
  return work(request, context)
}
