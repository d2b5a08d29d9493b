// A process of its own that opens one model, works with it and prints what that took:
// node scripts/run-ts.mjs bench/fullsize/measure-once.ts FOLDER decide|picture THREADS BUDGET SIDE
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import sharp from 'sharp'
import { createEngine, type Engine } from '../../src/engine/index.ts'
import type { QuestionsInput } from '../../src/schemas/index.ts'
import { QUESTIONS } from '../decide/questions.ts'
import { makeRequest } from '../decide/request.ts'
import type { ModelFigures } from './results.ts'
import { watchMemory } from './watch-memory.ts'

/** Of the state, as in the figures that targets were set by. */
const STATE_TOKENS = 1024
/** Of a picture. Memory does not grow with them. */
const STEPS = 1
/** The engine gives memory back right after it is disposed of, the system counts it a moment later. */
const AFTER_MS = 1000

const [folder, kind, threads, budget, side] = process.argv.slice(2) as [string, string, string, string, string]
const rss = () => process.memoryUsage.rss()
const watch = watchMemory()
const before = rss()
const engine = await createEngine({
  backend: 'cpu',
  threads: Number(threads),
  memoryBudget: Number(budget),
  models: { 'decide-latest': folder, 'alpha-image-turbo': folder },
})
const work = await (kind === 'decide' ? decide(engine) : draw(engine))
const [model] = engine.activity().models
// maxRSS is in KiB.
const peak = process.resourceUsage().maxRSS * 1024
await engine.dispose()
await wait(AFTER_MS)
const figures: ModelFigures = {
  before,
  peak,
  peak_own: watch.peak().own,
  disposed: rss(),
  opening_ms: model!.openedMs,
  ...work,
}
console.log(JSON.stringify(figures))

type Work = Omit<ModelFigures, 'before' | 'peak' | 'peak_own' | 'disposed' | 'opening_ms'>

/** Milliseconds that some work takes. */
async function time(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await run()
  return performance.now() - started
}

async function decide(engine: Engine): Promise<Work> {
  const small = { state: 'a card was charged twice', questions: QUESTIONS }
  const ms = await time(() => engine.countTokens(small))
  const counted = { ms, grown: rss() - before }
  const { input_tokens: without } = await engine.countTokens({ ...small, state: '' })
  const long = await makeRequest(STATE_TOKENS, async (request) => {
    const { input_tokens: tokens } = await engine.countTokens(request)
    return { state: tokens - without }
  })
  const started = performance.now()
  let first = 0
  const onProgress = () => void (first ||= performance.now() - started)
  const entries = Object.entries(QUESTIONS)
  const [one, eight] = [1, 8].map((count) => Object.fromEntries(entries.slice(0, count))) as [
    QuestionsInput,
    QuestionsInput,
  ]
  await engine.decide({ state: 'a card was charged twice', questions: one }, { onProgress })
  const open = rss()
  const times = {
    '1 question': await time(() => engine.decide({ state: long.state, questions: one })),
    '8 questions': await time(() => engine.decide({ state: long.state, questions: eight })),
  }
  return { open, first_progress_ms: first, count_tokens: counted, times }
}

/** With a ControlNet pictures follow another one: all of it is what is measured. */
async function makeControl() {
  if (!existsSync(join(folder, 'controlnet'))) return {}
  const create = { width: Number(side), height: Number(side), channels: 3, background: '#808080' } as const
  return { control: { image: await sharp({ create }).png().toBuffer() } }
}

async function draw(engine: Engine): Promise<Work> {
  const control = await makeControl()
  const started = performance.now()
  const events: { readonly stage: string; readonly at: number }[] = []
  await engine.generateImage(
    { prompt: 'a fox on a blue background', size: `${side}x${side}` as `${number}x${number}`, seed: 1 },
    {
      steps: STEPS,
      ...control,
      onProgress({ stage }) {
        watch.enter(stage)
        events.push({ stage, at: performance.now() - started })
      },
    },
  )
  const total = performance.now() - started
  const open = rss()
  const [begun, done] = events.filter(({ stage }) => stage === 'denoising').map(({ at }) => at)
  const times = { 'a step': done! - begun!, 'a picture of one step': total }
  return { open, first_progress_ms: events[0]!.at, stages: watch.stages(), times }
}
