import type { Session, Tensor } from '../../backends/backend.ts'
import { InvalidRequestError } from '../../errors/index.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { DecisionRequest } from '../../schemas/index.ts'
import type { PlannedRequest, QuestionReader, Reading, TokenCount } from '../decider.ts'
import type { Tokenizer } from '../tokenizer/tokenizer.ts'
import { splitWindows, type Window } from '../windows.ts'
import type { EncoderFormat, FramedQuestion, Prompt, Refuse } from './encoder-format.ts'

/** Tokens of the state that are read beside even the longest question. */
const SMALLEST_WINDOW = 64
/** Tokens that neighbouring windows share. */
const OVERLAP = 64

/** An encoder with a head that gives `logits`. */
export interface EncoderModel {
  readonly session: Session
  /** Feeds of the encoder: its tokens, and the segment (0 or 1) of each. */
  tokenFeeds(ids: readonly number[], segments: readonly number[]): Record<string, Tensor>
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
 * can be shared.
 */
export function createEncoderQuestionReader(
  model: EncoderModel,
  format: EncoderFormat,
  tokenizer: Tokenizer,
): QuestionReader<EncoderPlan> {
  return {
    plan(request) {
      try {
        return planPrompts(request, format)
      } finally {
        tokenizer.forget()
      }
    },
    count: countPrompts,
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
    const refuse = refusal(names[index] as string)
    const frame = format.frame(question, refuse)
    const needs = lead.length + Math.max(...frame.prompts.map(({ before, after }) => before.length + after.length))
    const room = format.positions - needs
    if (room < SMALLEST_WINDOW) {
      const most = format.positions - SMALLEST_WINDOW
      refuse(`takes ${needs} tokens with all that stands around it, and this model has room for ${most}`)
    }
    framed.push(frame)
    windows.push(splitWindows(state.length, room, Math.min(OVERLAP, Math.floor(room / 4))))
  }
  return { names, questions, framed, lead, state, windows }
}

function refusal(name: string): Refuse {
  return (reason) => {
    throw new InvalidRequestError(`questions.${name}`, `its text ${reason}`, { loc: ['questions', name] })
  }
}

/** The state once, and all that is read of each question beside it. */
function countPrompts({ names, framed, lead, state }: EncoderPlan): TokenCount {
  const size = ({ before, after }: Prompt) => before.length + after.length
  const sizes = framed.map(({ prompts }) => prompts.reduce((sum, prompt) => sum + size(prompt), 0))
  const read = lead.length + state.length
  return {
    input_tokens: sizes.reduce((sum, tokens) => sum + tokens, read),
    state: read,
    questions: Object.fromEntries(names.map((name, index) => [name, sizes[index] as number])),
  }
}

async function readAll(model: EncoderModel, plan: EncoderPlan, context: JobContext): Promise<Reading> {
  const { framed, windows, lead, state } = plan
  const total = framed.reduce((sum, { prompts }, index) => sum + prompts.length * windows[index]!.length, 0)
  let done = 0
  const answers: Float64Array[][] = []
  for (const [index, { prompts, readOut }] of framed.entries()) {
    const read: Float64Array[] = []
    for (const { start, end } of windows[index]!) {
      const logits: Float32Array[] = []
      for (const prompt of prompts) {
        await context.turn()
        context.onProgress?.({ stage: 'reading', done: done++, total })
        logits.push(await run(model, prompt, [...lead, ...state.slice(start, end)]))
      }
      read.push(readOut(logits))
    }
    answers.push(read)
  }
  context.onProgress?.({ stage: 'reading', done: total, total })
  return { logits: answers }
}

async function run(model: EncoderModel, { before, after, second = 0, feeds }: Prompt, state: readonly number[]) {
  const ids = [...before, ...state, ...after]
  const segments = ids.map((_, place) => (place < ids.length - second ? 0 : 1))
  const { logits } = await model.session.run({ ...model.tokenFeeds(ids, segments), ...feeds })
  return logits!.data as Float32Array
}
