import { toTesseraError } from '../errors/index.ts'
import type { DecisionRequestInput, DecisionResponse, QuestionsInput, ThresholdInput } from '../schemas/index.ts'
import type { CallOptions } from './calls/call-options.ts'
import { checkCall } from './calls/check-call.ts'
import { decideEach } from './calls/decide-many.ts'
import { readSampling } from './calls/image-call-options.ts'
import type { ReadFile } from './calls/picture-sources.ts'
import { createRequestReader } from './calls/request-reader.ts'
import type { Engine, ModelInfo } from './engine.ts'
import type { JobKind } from './jobs.ts'
import { DEFAULT_MODELS } from './options/default-models.ts'
import type { ResolvedOptions } from './options/resolve-options.ts'
import { createCorrection } from './own-calibration.ts'
import type { Connect } from './pool/connection.ts'
import type { BackendInfo } from './pool/protocol.ts'
import { WorkerPool } from './pool/worker-pool.ts'
import { warned } from './warned.ts'
import type { TaskSource } from './worker/task.ts'

/**
 * Starts an engine over the given other end. Resolves once its backend runs, rejects with why it doesn't.
 *
 * @param readFile of sources that are files; browsers have none
 */
export async function startEngine(
  options: ResolvedOptions,
  connect: Connect,
  source: TaskSource,
  readFile?: ReadFile,
): Promise<Engine> {
  const correction = await createCorrection(options, source)
  const { readDecision, readGeneration, readEdit, readControl } = createRequestReader(options, readFile)
  const { pool, first } = await startPool(options, connect, source)
  async function decide<const Questions extends QuestionsInput, const Threshold extends ThresholdInput>(
    body: DecisionRequestInput<Questions, Threshold>,
    options: CallOptions = {},
  ): Promise<DecisionResponse<Questions, Threshold>> {
    const call = checkCall('decide', options)
    const { request, warnings } = readDecision(body, call)
    const model = nameFor(source, 'decide', request)
    const response = await correction.answer(model, request, call, (job) => pool.submit('decide', model, job, call))
    return warned(response, warnings) as DecisionResponse<Questions, Threshold>
  }
  return {
    maxOptions: options.maxOptions,
    decide,
    decideMany: (requests, many) => decideEach(decide, requests, many),
    async countTokens(body, options = {}) {
      const call = checkCall('countTokens', options)
      const { request } = readDecision(body, call)
      return pool.submit('countTokens', nameFor(source, 'countTokens', request), request, call)
    },
    async generateImage(body, options = {}) {
      const { steps, guidance, negativePrompt, control, ...call } = checkCall('generateImage', options)
      const { request, warnings } = readGeneration(body, call)
      const sampling = readSampling({ seed: request.seed, steps, guidance, negativePrompt })
      const job = { ...request, ...sampling, ...(await readControl(control, call)) }
      return warned(await pool.submit('generateImage', nameFor(source, 'generateImage', request), job, call), warnings)
    },
    async editImage(body, options = {}) {
      const { seed, steps, guidance, negativePrompt, strength, control, ...call } = checkCall('editImage', options)
      // Both begin now: whoever calls may use the memory of its pictures again.
      const [{ request, warnings }, own] = await Promise.all([readEdit(body, call), readControl(control, call)])
      const sampling = readSampling({ seed: seed ?? request.seed, steps, guidance, negativePrompt, strength })
      const job = { ...request, ...sampling, ...own }
      return warned(await pool.submit('editImage', nameFor(source, 'editImage', request), job, call), warnings)
    },
    ...handlePool(pool),
    models: () => Promise.all(source.names.map((name) => describeModel(source, name))),
    backendInfo: () => ({ ...(pool.info ?? first), worker: options.worker, workers: options.workers }),
  }
}

/** What an engine does with its workers that is no call. */
function handlePool(pool: WorkerPool): Pick<Engine, 'load' | 'activity' | 'dispose'> & AsyncDisposable {
  return {
    load: (name, load) => pool.load(name, load),
    activity: () => pool.activity,
    dispose: () => pool.dispose(),
    [Symbol.asyncDispose]: () => pool.dispose(),
  }
}

/** The name that a request is answered under. */
function nameFor(source: TaskSource, kind: JobKind, { model }: { readonly model?: string | undefined }): string {
  const fallback = DEFAULT_MODELS[kind]
  return model === undefined ? fallback : source.nameOf(model, fallback)
}

/** Starts the workers that models are to be opened in, and leaves nothing running where one of them fails. */
async function startPool(
  options: ResolvedOptions,
  connect: Connect,
  source: TaskSource,
): Promise<{ readonly pool: WorkerPool; readonly first: BackendInfo }> {
  const pool = new WorkerPool(connect, options, (name) => mayShare(source, name))
  const first = await pool.start()
  try {
    for (const name of options.preload) await pool.load(name, { keepOpen: true })
    return { pool, first }
  } catch (error) {
    await pool.dispose()
    throw error
  }
}

/** Whether several workers may have a model open. */
async function mayShare(source: TaskSource, name: string): Promise<boolean> {
  const model = await source.resolve(name)
  if (!(await source.memory?.isSmall(model))) return false
  // A picture takes long and much memory, whatever its model is.
  return (await source.describe(model)).kind === 'decisions'
}

async function describeModel(source: TaskSource, name: string): Promise<ModelInfo> {
  try {
    const model = await source.resolve(name)
    return { name, id: model.id, available: true, ...(await source.describe(model)) }
  } catch (error) {
    // Whatever is wrong with one model, the list has the others.
    return { name, available: false, reason: toTesseraError(error).message }
  }
}
