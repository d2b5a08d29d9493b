import type { Question } from '../schemas/index.ts'
import { labelled } from './render-text.ts'
import { spacedText } from './spaced-json.ts'

/** Every question as named options with their meanings, as opendecider's models were trained on: texts such as `billing: charges`. */
export function openDeciderOptions(question: Question): string[] {
  return options(question).map(([key, meaning]) => labelled(key, spacedText(meaning ?? '')))
}

function options(question: Question): [string, unknown][] {
  if (question.type === 'choice') return Object.entries(question.criteria)
  if (question.type === 'score') return question.criteria.map((level, index) => [String(index), level])
  const { true: yes = 'Yes', false: no = 'No' } = question.criteria ?? {}
  return [
    ['yes', yes],
    ['no', no],
  ]
}
