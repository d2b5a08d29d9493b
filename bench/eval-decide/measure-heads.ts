import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import type { DecisionOutput } from '../../src/decide/index.ts'
import { featureListenerOf, withFeatures } from '../../src/engine/calls/call-features.ts'
import { OwnCalibrator } from '../../src/engine/own-calibration.ts'
import { answerRows } from '../../src/evaluate/answer-rows.ts'
import { logLoss } from '../../src/evaluate/cross-validate.ts'
import { measure } from '../../src/evaluate/metrics.ts'
import { calibrate, createEngine, type Engine, type LabelledRow, type OwnCalibration } from '../../src/index.ts'
import { parseDecisionRequest } from '../../src/schemas/index.ts'

/*
 * What a head of its own for a question is worth beside calibration alone: `--data` is a folder of `.jsonl` files of labelled rows
 * that ask one question each, as `recipe/heads.py --rows` writes them. Of every file so many rows are drawn to calibrate with, and all beyond the
 * most of these are answered with the outcome.
 */

const SIZES = [100, 300]
const DRAWS = 4

type Asked = Pick<Engine, 'decide' | 'models'>

/** The engine's answers, which are computed once for every row. */
async function readAll(engine: Engine, rows: readonly LabelledRow[]): Promise<Map<string, DecisionOutput>> {
  const known = new Map<string, DecisionOutput>()
  for (const { state, questions } of rows) {
    let features: DecisionOutput['features'] = {}
    const listener = { names: Object.keys(questions), onFeatures: (read: typeof features) => void (features = read) }
    const response = await engine.decide({ state, questions }, withFeatures({}, listener))
    known.set(JSON.stringify(state), { ...(response as unknown as DecisionOutput), features })
  }
  return known
}

/** An engine that gives these answers, corrected as `createEngine({ calibration })` does. */
function answering(
  engine: Engine,
  known: ReadonlyMap<string, DecisionOutput>,
  { calibration, hasFeatures = false }: { calibration?: OwnCalibration; hasFeatures?: boolean } = {},
): Asked {
  const own = calibration && new OwnCalibrator(calibration)
  const decide = (body: { state: unknown }, call: object = {}) => {
    const output = known.get(JSON.stringify(body.state))!
    const { features, ...response } = output
    if (hasFeatures) featureListenerOf(call)?.onFeatures(features!)
    return Promise.resolve(own?.apply(parseDecisionRequest(body), response, features) ?? response)
  }
  return { decide: decide as unknown as Engine['decide'], models: () => engine.models() }
}

/** The same order in every run (linear congruential numbers of Numerical Recipes). */
function shuffle<T>(values: readonly T[], seed: number): T[] {
  const drawn = [...values]
  let state = seed
  for (let last = drawn.length - 1; last > 0; last--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    const at = Math.floor((state / 2 ** 32) * (last + 1))
    ;[drawn[last], drawn[at]] = [drawn[at]!, drawn[last]!]
  }
  return drawn
}

async function judge(engine: Asked, rows: readonly LabelledRow[]) {
  const { answered } = await answerRows(engine, rows, {})
  const { accuracy, brier } = measure(answered)
  return { accuracy, brier, loss: logLoss(answered) }
}

type Figures = Awaited<ReturnType<typeof judge>>

function mean(figures: readonly Figures[]): Figures {
  const of = (name: keyof Figures) =>
    Number((figures.reduce((sum, one) => sum + one[name], 0) / figures.length).toFixed(4))
  return { accuracy: of('accuracy'), brier: of('brier'), loss: of('loss') }
}

async function measureSet(
  engine: Engine,
  known: ReadonlyMap<string, DecisionOutput>,
  rows: readonly LabelledRow[],
  size: number,
) {
  const ways: Record<'shipped' | 'calibrated' | 'headed', Figures[]> = { shipped: [], calibrated: [], headed: [] }
  const heads: string[] = []
  const seconds: number[] = []
  for (let draw = 0; draw < DRAWS; draw++) {
    const drawn = shuffle(rows, draw + 1)
    const [some, others] = [drawn.slice(0, size), drawn.slice(Math.max(...SIZES))]
    const plain = await calibrate(answering(engine, known), some)
    const started = performance.now()
    const headed = await calibrate(answering(engine, known, { hasFeatures: true }), some)
    seconds.push((performance.now() - started) / 1000)
    heads.push(headed.questions[0]!.head)
    ways.shipped.push(await judge(answering(engine, known), others))
    ways.calibrated.push(await judge(answering(engine, known, plain), others))
    ways.headed.push(await judge(answering(engine, known, headed), others))
  }
  const [shipped, calibrated, headed] = [mean(ways.shipped), mean(ways.calibrated), mean(ways.headed)]
  return { rows: size, tested: rows.length - Math.max(...SIZES), shipped, calibrated, headed, heads, seconds }
}

const { values } = parseArgs({ options: { data: { type: 'string' } } })
if (values.data === undefined) throw new Error('--data must be a folder of .jsonl files')
await using engine = await createEngine({ worker: false })
for (const file of (await readdir(values.data)).filter((name) => name.endsWith('.jsonl'))) {
  const text = await readFile(join(values.data, file), 'utf8')
  const rows = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as LabelledRow)
  const known = await readAll(engine, rows)
  for (const size of SIZES) {
    console.log(JSON.stringify({ set: basename(file, '.jsonl'), ...(await measureSet(engine, known, rows, size)) }))
  }
}
