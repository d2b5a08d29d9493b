import { LIMITS } from '../schemas/limits.ts'
import { byId, chosen, find } from './dom.ts'
import { FormFault } from './form-fault.ts'
import { makeQuestionFields, readQuestionFields } from './question-fields.ts'
import { type FormQuestion, toFormQuestions, toQuestions } from './question-values.ts'

const START: readonly FormQuestion[] = [
  { name: 'urgent', type: 'noul', instructions: 'Does this need an answer today?', entries: [] },
  {
    name: 'team',
    type: 'choice',
    instructions: 'Which team should handle it?',
    entries: [
      { name: 'billing', text: 'Invoices, payments, refunds' },
      { name: 'tech', text: 'Bugs and outages' },
      { name: 'sales', text: '' },
    ],
  },
  {
    name: 'anger',
    type: 'score',
    instructions: 'How angry is the writer?',
    entries: ['calm', 'annoyed', 'furious'].map((text) => ({ name: '', text })),
  },
]

/** The questions, in fields or as JSON: two ways to write the same. */
export function setUpQuestions(): void {
  const switches = find(byId('decide'), '[data-loc="questions"]')
  for (const question of START) add(question)
  byId('add-question').addEventListener('click', () => {
    add({ name: nextName(), type: 'noul', instructions: '', entries: [] })
    find(byId('questions'), ':scope > :last-child [data-field="instructions"]').focus()
  })
  switches.addEventListener('change', ({ target }) => {
    if ((target as HTMLInputElement).name === 'editor') switchEditor(chosen(switches, 'editor') === 'json')
  })
}

/** @throws FormFault */
export function readQuestions(): unknown {
  return isJson() ? parseQuestions() : toQuestions(list().map(readQuestionFields))
}

/** The element that a path such as `team`, `criteria` leads to: a part of a question, or all of it. */
export function locateInQuestions([name, part]: readonly string[]): Element | undefined {
  const question = isJson() ? undefined : list().find((fields) => readQuestionFields(fields).name === name)
  return question?.querySelector(`[data-loc="${CSS.escape(part ?? '')}"]`) ?? question
}

function switchEditor(json: boolean): void {
  const status = byId('editor-status')
  const text = byId('questions-json', HTMLTextAreaElement)
  status.textContent = ''
  try {
    if (json) text.value = JSON.stringify(toQuestions(list().map(readQuestionFields)), null, 2)
    else showInFields(parseQuestions())
    byId('question-form').hidden = json
    byId('question-json').hidden = !json
  } catch (error) {
    status.textContent = (error as Error).message
    find<HTMLInputElement>(byId('decide'), `input[name="editor"][value="${json ? 'form' : 'json'}"]`).checked = true
  }
}

function showInFields(value: unknown): void {
  const questions = toFormQuestions(value)
  if (questions === undefined) {
    throw new FormFault('The form has no fields for these questions; they can be sent as JSON.', ['questions'])
  }
  byId('questions').replaceChildren()
  for (const question of questions) add(question)
}

function parseQuestions(): unknown {
  try {
    return JSON.parse(byId('questions-json', HTMLTextAreaElement).value)
  } catch (error) {
    throw new FormFault(`The questions are not valid JSON: ${(error as Error).message}`, ['questions'])
  }
}

function add(question: FormQuestion): void {
  const fields = makeQuestionFields(question, () => {
    fields.remove()
    number()
    byId('add-question').focus()
  })
  byId('questions').append(fields)
  number()
}

function number(): void {
  const questions = list()
  for (const [index, fields] of questions.entries()) {
    find(fields, 'legend').textContent = `Question ${index + 1}`
    fields.id = `question-${index + 1}`
    find(fields, '[data-action="remove-question"]').hidden = questions.length === 1
  }
  byId('add-question').hidden = questions.length >= LIMITS.questions.max
}

function nextName(): string {
  const names = list().map((fields) => readQuestionFields(fields).name)
  for (let index = names.length + 1; ; index++) if (!names.includes(`question_${index}`)) return `question_${index}`
}

function list(): HTMLElement[] {
  return [...byId('questions').children] as HTMLElement[]
}

function isJson(): boolean {
  return !byId('question-json').hidden
}
