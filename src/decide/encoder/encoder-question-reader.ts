import type { Session } from '../../backends/backend.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { DecisionRequest } from '../../schemas/index.ts'
import type { PlannedRequest, QuestionReader, Reading } from '../decider.ts'
import { refuseQuestion } from '../refuse-question.ts'
import { splitWindows, type Window } from '../windows.ts'
import type { EncoderFormat, FramedQuestion, Prompt, Refuse } from './encoder-format.ts'
import { groupTexts } from './group-texts.ts'
import { passFeeds, type PassText } from './pass-feeds.ts'

/** Tokens of the state that are read beside even the longest question. */
const SMALLEST_WINDOW = 64
/** Tokens that neighbouring windows share. */
const OVERLAP = 64
/** Most tokens of several texts in a pass. More do not make it faster, and calls are aborted between passes. */
const PASS = 256

/** An encoder with a head that gives `logits`. */
export interface EncoderModel {
  readonly session: Session
  /** Tokens that its local layers see, where there are such. */
  readonly window?: number
}

export interface EncoderPlan extends PlannedRequest {
  readonly framed: readonly FramedQuestion[]
  readonly lead: readonly number[]
  readonly state: readonly number[]
  /** Of each question: what it leaves room for depends on nothing but itself. */
  readonly windows: readonly (readonly Window[])[]
}

/**
 * Reads questions with a model that sees state and question together: the state is read once for every prompt, as nothing of it
 * can be shared. Short texts are read in one pass.
 */
export function createEncoderQuestionReader(model: EncoderModel, format: EncoderFormat): QuestionReader<EncoderPlan> {
  return {
    plan: (request) => planPrompts(request, format),
    read: (plan, context) => readAll(model, plan, context),
    dispose: () => model.session.dispose(),
  }
}

function planPrompts(request: DecisionRequest, format: EncoderFormat): EncoderPlan {
  const names = Object.keys(request.questions)
  const questions = Object.values(request.questions)
  const { lead, ids: state } = format.state(request.state)
  const framed: FramedQuestion[] = []
  const windows: Window[][] = []
  for (const [index, question] of questions.entries()) {
    const refuse: Refuse = (reason) => refuseQuestion(names[index]!, reason)
    const frame = format.frame(question, refuse)
    const needs = lead.length + Math.max(...frame.prompts.map(sizeOf))
    const room = format.positions - needs
    if (room < SMALLEST_WINDOW) {
      const most = format.positions - SMALLEST_WINDOW
      refuse(`takes ${needs} tokens with all that stands around it, and this model has room for ${most}`)
    }
    framed.push(frame)
    windows.push(splitWindows(state.length, room, Math.min(OVERLAP, Math.floor(room / 4))))
  }
  const sizes = framed.map(({ prompts }) => prompts.reduce((sum, prompt) => sum + sizeOf(prompt), 0))
  return {
    names,
    questions,
    sizes: { state: lead.length + state.length, questions: sizes },
    framed,
    lead,
    state,
    windows,
  }
}

/** Tokens around the state. */
function sizeOf({ before, after }: Prompt): number {
  return before.length + after.length
}

/** A prompt beside a window of the state. */
interface Place {
  readonly question: number
  readonly window: number
  readonly prompt: number
}

async function readAll(model: EncoderModel, plan: EncoderPlan, context: JobContext): Promise<Reading> {
  const { framed, windows } = plan
  const places = framed.flatMap(({ prompts }, question) =>
    windows[question]!.flatMap((_, window) => prompts.map((__, prompt): Place => ({ question, window, prompt }))),
  )
  const groups = groupTexts(
    places.map((place) => countTokens(plan, place)),
    PASS,
  )
  const read = framed.map((_, question) => windows[question]!.map((): Float32Array[] => []))
  for (const [done, group] of groups.entries()) {
    await context.turn()
    context.onProgress?.({ stage: 'reading', done, total: groups.length })
    const members = group.map((at) => places[at]!)
    const logits = await run(
      model,
      members.map((place) => textAt(plan, place)),
    )
    for (const [index, { question, window, prompt }] of members.entries()) {
      read[question]![window]![prompt] = logits[index]!
    }
  }
  context.onProgress?.({ stage: 'reading', done: groups.length, total: groups.length })
  return { logits: read.map((of, question) => of.map((logits) => framed[question]!.readOut(logits))) }
}

function countTokens({ framed, windows, lead }: EncoderPlan, { question, window, prompt }: Place): number {
  const { start, end } = windows[question]![window]!
  return sizeOf(framed[question]!.prompts[prompt]!) + lead.length + end - start
}

function textAt({ framed, windows, lead, state }: EncoderPlan, { question, window, prompt }: Place): PassText {
  const { before, after, ...more } = framed[question]!.prompts[prompt]!
  const { start, end } = windows[question]![window]!
  return { ...more, ids: [...before, ...lead, ...state.slice(start, end), ...after] }
}

/** What the head gives for the rows of each text. */
async function run({ session, window }: EncoderModel, texts: readonly PassText[]): Promise<Float32Array[]> {
  const { logits } = await session.run(passFeeds(texts, session.inputNames, window))
  const data = logits!.data as Float32Array
  const width = logits!.dims[1]!
  let first = 0
  return texts.map(({ rows }) => data.subarray(first, (first += rows.length * width)))
}
