import { InvalidRequestError } from '../../errors/index.ts'
import type { QuestionInput, QuestionsInput } from '../../schemas/index.ts'
import { NOTHING_ASKED } from '../../schemas/question-schemas.ts'
import type { InputItem } from './openai-input.ts'
import type { OpenAiContent, OpenAiQuestion, OpenAiRequest } from './openai-request.ts'

type Part = Exclude<OpenAiContent, string>[number]

/** The same request on the other wire. Its questions are named by their place, which no model is shown. */
export function toSystemOne({ model, input, questions }: OpenAiRequest) {
  return {
    state: toState(input),
    questions: Object.fromEntries(questions.map((question, index) => [index, toQuestion(question)])) as QuestionsInput,
    ...(model !== undefined && { model }),
  }
}

/** The names of a choice's options in the order given: `true` is the option "true" unless a string is that already. */
export function optionNames({ choices }: Extract<OpenAiQuestion, { type: 'choice' }>): string[] {
  const strings = new Set(choices.flatMap(({ value }) => (typeof value === 'string' ? [value] : [])))
  return choices.map(({ value }) => {
    let name = String(value)
    if (typeof value !== 'string') while (strings.has(name)) name += ' (boolean)'
    return name
  })
}

/** Says of an error about the mapped request where the fault is in the one that came. */
export function toOpenAiFault(error: unknown, { questions }: OpenAiRequest): unknown {
  if (!InvalidRequestError.isInstance(error)) return error
  const [field, place, member, entry] = error.loc
  const loc = field === 'state' ? ['input'] : [...error.loc]
  const question = questions[Number(place)]
  if (field === 'questions' && member === 'criteria' && question !== undefined && question.type !== 'predicate') {
    const index = question.type === 'choice' ? optionNames(question).indexOf(entry ?? '') : Number(entry)
    loc.splice(2, loc.length, question.type === 'choice' ? 'choices' : 'levels', ...(index >= 0 ? [String(index)] : []))
  }
  const reason = error.reason === NOTHING_ASKED ? 'must say what is asked' : error.reason
  return new InvalidRequestError(loc.length === 0 ? 'body' : loc.join('.'), reason, { loc })
}

/**
 * One user's text or record is the state itself, so that both wires read the same; a conversation is a list of
 * messages.
 */
function toState(input: string | InputItem[]): string | object {
  if (typeof input === 'string') return input
  const [only] = input
  if (input.length === 1 && only !== undefined && 'role' in only && only.role === 'user') return toText(only.content)
  return input.map((item) => {
    if ('role' in item) return { role: item.role, content: toText(item.content) }
    return 'output' in item ? { ...item, output: toText(item.output) } : item
  })
}

/** A single part is what it holds; several stay a list. */
function toText(content: string | readonly (Part | AssistantPart)[]): string | object {
  if (typeof content === 'string') return content
  const values = content.map((part) => {
    if (part.type === 'input_json') return part.data
    if (part.type === 'refusal') return part.refusal
    // A picture never gets here: the schema refuses it.
    return part.type === 'input_image' ? '' : part.text
  })
  return values.length === 1 ? values[0]! : values
}

type AssistantPart =
  | { readonly type: 'output_text'; readonly text: string }
  | { readonly type: 'refusal'; readonly refusal: string }

function toQuestion(question: OpenAiQuestion): QuestionInput {
  const instructions = toText(question.instructions)
  if (question.type === 'predicate') return { type: 'noul', instructions }
  if (question.type === 'score') return { type: 'score', instructions, criteria: question.levels.map(levelText) }
  const criteria = Object.create(null) as Record<string, string | null>
  const names = optionNames(question)
  for (const [index, { description }] of question.choices.entries()) criteria[names[index]!] = description ?? null
  return { type: 'choice', instructions, criteria }
}

/** Clients without labels send the level's number as one, which says nothing beside a description. */
function levelText(
  { label, description }: { label: string; description?: string | null | undefined },
  index: number,
): string {
  if (!description || description === label) return label
  return label === String(index) ? description : `${label}: ${description}`
}
