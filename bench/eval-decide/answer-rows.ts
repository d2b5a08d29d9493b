import { calibrateLogits, toProbabilities } from '../../src/decide/calibrate.ts'
import type { Decider } from '../../src/decide/index.ts'
import type { Manifest } from '../../src/decide/manifest.ts'
import { poolWindows } from '../../src/decide/windows.ts'
import type { Outcome } from '../../src/evaluate/outcome.ts'
import type { Question } from '../../src/schemas/index.ts'
import { type Case, readRows } from './read-rows.ts'

/** A labelled question as a model read it. */
export interface Answered extends Outcome {
  /** Place of its row in the file, so that parts can be put together. */
  readonly row: number
  readonly source: string
  readonly family: string
  readonly heldout: string
  readonly question: Question
  readonly request: Case['request']
  /** Logits before calibration, of every window of the state. */
  readonly windows: readonly Float64Array[]
}

export interface AnsweredRows {
  readonly answered: readonly Answered[]
  /** With `order`: choice questions that were asked again with their options reversed, and how many answers changed. */
  readonly order: { readonly asked: number; readonly changed: number }
}

export interface AnswerSettings {
  /** Only every so many-th row. */
  readonly every: number
  readonly order: boolean
}

/** Every `of`-th of the rows that are used, from `index` on. */
export interface Part {
  readonly index: number
  readonly of: number
}

const context = { turn: async () => {} }

/** Reads every question of a part of some files of labelled rows; probabilities are empty until `calibrated`. */
export async function answerRows(
  decider: Decider,
  files: readonly string[],
  { every, order }: AnswerSettings,
  part: Part,
): Promise<AnsweredRows> {
  const answered: Answered[] = []
  let [asked, changed, number] = [0, 0, 0]
  for (const file of files) {
    for await (const row of readRows(file, every)) {
      if (number++ % part.of !== part.index) continue
      const read = await decider.logits(row.request, context)
      const { gold, ...about } = row
      for (const [index, question] of Object.values(row.request.questions).entries()) {
        const right = gold[index] as number
        answered.push({
          ...about,
          row: number,
          question,
          type: question.type,
          gold: right,
          probabilities: [],
          windows: read[index]!,
        })
      }
      if (!order) continue
      const counted = await askReversed(decider, row, read)
      asked += counted.asked
      changed += counted.changed
    }
  }
  return { answered, order: { asked, changed } }
}

/** The same answers with the probabilities that a calibration gives them. */
export function calibrated(
  answered: readonly Answered[],
  { calibration, window }: Pick<Manifest, 'calibration' | 'window'>,
): Answered[] {
  return answered.map((one) => {
    const logits = one.windows.map((read) => calibrateLogits(one.question, read, calibration))
    return { ...one, probabilities: toProbabilities(poolWindows(logits, window.sharpness)) }
  })
}

async function askReversed(decider: Decider, { request }: Case, read: readonly Float64Array[][]) {
  const entries = Object.entries(request.questions).map(([name, question]) => [name, reversed(question)] as const)
  const again = await decider.logits({ ...request, questions: Object.fromEntries(entries) }, context)
  const changes = Object.values(request.questions).flatMap((question, index) => {
    const [before, after] = [read[index]?.[0], again[index]?.[0]]
    if (question.type !== 'choice' || !before || !after) return []
    return [winner(question, before) !== winner(entries[index]![1], after)]
  })
  return { asked: changes.length, changed: changes.filter(Boolean).length }
}

function reversed(question: Question): Question {
  if (question.type !== 'choice') return question
  return { ...question, criteria: Object.fromEntries(Object.entries(question.criteria).reverse()) }
}

function winner(question: Question, logits: Float64Array): string | undefined {
  return Object.keys(question.criteria ?? {})[logits.indexOf(Math.max(...logits))]
}
