import { FormFault } from './form-fault.ts'

/** A question as the form has it: what a meaning leaves empty is not said. */
export interface FormQuestion {
  readonly name: string
  readonly type: 'noul' | 'choice' | 'score'
  readonly instructions: string
  /** Options with their meanings, levels without names, or what `true` and `false` mean. */
  readonly entries: readonly { readonly name: string; readonly text: string }[]
}

const TYPES = ['noul', 'choice', 'score']

/** The questions of a request. What is wrong with a single question is the server's to say. */
export function toQuestions(questions: readonly FormQuestion[]): Record<string, object> {
  refuseRepeated(
    questions.map(({ name }) => name),
    'questions',
    ['questions'],
  )
  return Object.fromEntries(questions.map((question) => [question.name, toQuestion(question)]))
}

function toQuestion({ name, type, instructions, entries }: FormQuestion): object {
  const filled = entries.filter((entry) => entry.text !== '' || (type === 'choice' && entry.name !== ''))
  const start = { type, ...(instructions !== '' && { instructions }) }
  if (type === 'score') return { ...start, criteria: filled.map(({ text }) => text) }
  if (type === 'noul') {
    const criteria = Object.fromEntries(filled.map((entry) => [entry.name, entry.text]))
    return filled.length > 0 ? { ...start, criteria } : start
  }
  refuseRepeated(
    filled.map((entry) => entry.name),
    'options',
    ['questions', name],
  )
  return { ...start, criteria: Object.fromEntries(filled.map((entry) => [entry.name, entry.text || null])) }
}

/** The same questions for the form; undefined where they say what it has no fields for. */
export function toFormQuestions(value: unknown): FormQuestion[] | undefined {
  if (!isRecord(value)) return undefined
  const questions = Object.entries(value).map(([name, question]) => toFormQuestion(name, question))
  return questions.length > 0 && questions.every((question) => question !== undefined) ? questions : undefined
}

function toFormQuestion(name: string, question: unknown): FormQuestion | undefined {
  if (!isRecord(question)) return undefined
  const { type, instructions = '', criteria = {}, ...others } = question
  if (typeof type !== 'string' || !TYPES.includes(type) || typeof instructions !== 'string') return undefined
  if (Object.keys(others).length > 0 || Array.isArray(criteria) !== (type === 'score')) return undefined
  const entries: { name: string; text: string }[] = []
  for (const [key, text] of Object.entries(criteria ?? {})) {
    if (text !== null && typeof text !== 'string') return undefined
    entries.push({ name: key, text: text ?? '' })
  }
  if (type === 'noul' && entries.some((entry) => entry.name !== 'true' && entry.name !== 'false')) return undefined
  return { name, type: type as FormQuestion['type'], instructions, entries }
}

function refuseRepeated(names: readonly string[], what: string, loc: readonly string[]): void {
  const repeated = names.find((name, index) => names.indexOf(name) < index)
  if (repeated !== undefined) throw new FormFault(`Two ${what} have the name "${repeated}".`, [...loc, repeated])
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
