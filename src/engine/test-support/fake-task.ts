import { ModelNotFoundError } from '../../errors/index.ts'
import type { ImageGenerationJob } from '../../images/index.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { DecisionRequest, DecisionResponse, ImageResponse } from '../../schemas/index.ts'
import type { Task, TaskSource } from '../worker/task.ts'

/** What a fake job does; it travels as the state of a decision request, or in JSON as the prompt for a picture. */
export type FakeState = {
  readonly name?: string
  /** Turns it takes; each is written to the log. */
  readonly steps?: number
  /** Milliseconds of uninterrupted computing at the end of a step. */
  readonly burn?: number
  /** Takes turns until a job with `release` has run. */
  readonly hold?: boolean
  readonly release?: boolean
  readonly fail?: 'throw' | 'exit' | 'uncaught' | 'memory' | 'out of files'
}

/** Models whose jobs do as their state says. The answer's `model` is the log of all steps done by the source so far. */
export function createFakeSource(): TaskSource & { readonly disposed: string[] } {
  const log: string[] = []
  const disposed: string[] = []
  const gate = { open: false }
  const work = async (state: FakeState, { turn, onProgress }: JobContext): Promise<string> => {
    const { name = 'job', steps = 0, burn = 0, hold, release, fail } = state
    if (release) gate.open = true
    if (hold) while (!gate.open) await turn()
    for (let step = 1; step <= steps; step++) {
      await turn()
      log.push(`${name}${step}`)
      onProgress?.({ stage: name, done: step, total: steps })
      spin(burn)
    }
    if (fail) await breakDown(fail)
    return log.join(' ')
  }
  const decide = async (request: DecisionRequest, context: JobContext): Promise<DecisionResponse> => {
    const model = await work(request.state as FakeState, context)
    return { model, answers: {}, usage: { input_tokens: 0, output_tokens: 0 }, latency_ms: 0 }
  }
  const generateImage = async ({ prompt }: ImageGenerationJob, context: JobContext): Promise<ImageResponse> => ({
    data: [{ b64_json: await work(JSON.parse(prompt) as FakeState, context) }],
  })
  const countTokens = (request: DecisionRequest) => {
    const names = Object.keys(request.questions)
    return { input_tokens: names.length, state: 0, questions: Object.fromEntries(names.map((name) => [name, 1])) }
  }
  const open = async ({ id }: { id: string }): Promise<Task> => {
    if (id === 'breaks') throw new Error('it does not open')
    if (id === 'opens-late') while (!gate.open) await new Promise((resolve) => setTimeout(resolve, 1))
    const dispose = () => void disposed.push(id)
    return id === 'no-jobs' ? { dispose } : { decide, countTokens, generateImage, dispose }
  }
  return {
    names: ['decide-latest', 'missing'],
    nameOf: (given) => given,
    resolve: async (model) => {
      if (model === 'missing') throw new ModelNotFoundError(model, ['/models'], 'tessera pull missing')
      return { id: model === 'decide-latest' ? 'fake' : model, folder: `/nowhere/${model}` }
    },
    describe: async () => ({ kind: 'decisions', bytes: 100 }),
    memory: {
      isSmall: async ({ id }) => id !== 'large',
      predict: async () => undefined,
      require: async () => Number.POSITIVE_INFINITY,
    },
    open,
    disposed,
  }
}

async function breakDown(kind: NonNullable<FakeState['fail']>): Promise<void> {
  if (kind === 'throw') throw new Error('the task failed')
  if (kind === 'out of files') throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' })
  if (kind === 'exit') process.exit(3)
  if (kind === 'uncaught')
    setImmediate(() => {
      throw new RangeError('nobody catches this')
    })
  if (kind === 'memory') exhaustMemory()
  await new Promise(() => {})
}

function exhaustMemory(): never {
  const hoard: number[][] = []
  for (;;) hoard.push(Array.from({ length: 100_000 }, (_, i) => i + 0.5))
}

function spin(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}
