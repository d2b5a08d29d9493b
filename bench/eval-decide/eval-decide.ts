import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createCpuBackend } from '../../src/backends/index.ts'
import { calibrateLogits, toProbabilities } from '../../src/decide/calibrate.ts'
import { openDecider } from '../../src/decide/index.ts'
import { type Manifest, manifestSchema } from '../../src/decide/manifest.ts'
import { poolWindows } from '../../src/decide/windows.ts'
import { measure, measureBy } from '../../src/evaluate/metrics.ts'
import type { Outcome } from '../../src/evaluate/outcome.ts'
import { openFolder } from '../../src/models/index.ts'
import type { Question } from '../../src/schemas/index.ts'
import { fitCalibration, type Sample } from './fit-calibration.ts'
import { type Case, readRows } from './read-rows.ts'

/*
 * Evaluates a decision model on labelled rows and prints JSON:
 *
 *     npm run eval:decide -- --data dev.jsonl [--model models/decide-mini] [--every 10] [--order] [--fit]
 *
 * --order also asks every choice question with its options reversed and reports the share of answers that change.
 * --fit fits the calibration on these rows, writes it into the bundle's tessera.json, and reports with it.
 */

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    model: { type: 'string', default: 'models/decide-mini' },
    every: { type: 'string', default: '1' },
    threads: { type: 'string', default: '2' },
    order: { type: 'boolean', default: false },
    fit: { type: 'boolean', default: false },
  },
})
if (!values.data)
  throw new Error('expected --data FILE, a .jsonl of labelled rows (see bench/eval-decide/read-rows.ts)')

interface Answered extends Outcome {
  source: string
  family: string
  heldout: string
  question: Question
  windows: readonly Float64Array[]
}

const context = { turn: async () => {} }
const manifestFile = join(values.model, 'tessera.json')
const manifest: Manifest = manifestSchema.parse(JSON.parse(await readFile(manifestFile, 'utf8')))
const backend = await createCpuBackend({ threads: Number(values.threads) })
const decider = await openDecider({ backend, files: openFolder(values.model) })

function reversed(question: Question): Question {
  if (question.type !== 'choice') return question
  return { ...question, criteria: Object.fromEntries(Object.entries(question.criteria).reverse()) }
}

async function answer({
  request,
  gold,
  ...about
}: Case): Promise<{ answered: Answered[]; changed: number; asked: number }> {
  const read = await decider.logits(request, context)
  const questions = Object.values(request.questions)
  const answered = questions.map((question, index) => ({
    ...about,
    question,
    type: question.type,
    gold: gold[index] as number,
    probabilities: [],
    windows: read[index]!,
  }))
  if (!values.order) return { answered, changed: 0, asked: 0 }
  const turned = {
    ...request,
    questions: Object.fromEntries(
      Object.entries(request.questions).map(([name, question]) => [name, reversed(question)]),
    ),
  }
  const again = await decider.logits(turned, context)
  const choices = Object.values(turned.questions).flatMap((question, index) => {
    const [before, after] = [read[index]?.[0], again[index]?.[0]]
    const asked = questions[index]
    return asked?.type === 'choice' && before && after ? [winner(asked, before) !== winner(question, after)] : []
  })
  return { answered, changed: choices.filter(Boolean).length, asked: choices.length }
}

function winner(question: Question, logits: Float64Array): string | undefined {
  return Object.keys(question.criteria ?? {})[logits.indexOf(Math.max(...logits))]
}

function calibrated(
  answered: readonly Answered[],
  { calibration, window }: Pick<Manifest, 'calibration' | 'window'>,
): Answered[] {
  return answered.map((one) => {
    const logits = one.windows.map((window) => calibrateLogits(one.question, window, calibration))
    return { ...one, probabilities: toProbabilities(poolWindows(logits, window.sharpness)) }
  })
}

const all: Answered[] = []
let changed = 0
let asked = 0
const started = performance.now()
for await (const row of readRows(values.data, Number(values.every))) {
  const result = await answer(row)
  all.push(...result.answered)
  changed += result.changed
  asked += result.asked
}
const seconds = (performance.now() - started) / 1000
await decider.dispose()
await backend.dispose()

let { calibration } = manifest
if (values.fit) {
  const samples = all.flatMap(({ type, source, windows, gold }): Sample[] =>
    windows.length === 1 && windows[0] ? [{ type, source, logits: [...windows[0]], gold }] : [],
  )
  const fitted = { ...fitCalibration(samples), samples: samples.length, ece: 0 }
  calibration = { ...fitted, ece: measure(calibrated(all, { ...manifest, calibration: fitted })).ece }
  await writeFile(manifestFile, `${JSON.stringify({ ...manifest, calibration }, null, 2)}\n`)
}
const outcomes = calibrated(all, { window: manifest.window, calibration })
const report = {
  model: manifest.name,
  version: manifest.version,
  questions: all.length,
  seconds: Math.round(seconds),
  ...(values.order ? { order: { asked, changed: changed / asked } } : {}),
  overall: measure(outcomes),
  types: measureBy(outcomes, ({ heldout, type }) => (heldout ? `${heldout} ${type}` : type)),
  families: measureBy(outcomes, ({ family }) => family),
  sources: measureBy(outcomes, ({ source }) => source),
}
console.log(
  JSON.stringify(
    report,
    (_, value) => (typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value),
    2,
  ),
)
