import type { Question, State, Text } from '../schemas/index.ts'

/** A string as it is, null as nothing, anything else as compact JSON in the caller's key order. */
export function asText(value: Text | State | undefined): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function labelled(label: string, meaning: Text | undefined): string {
  const text = asText(meaning)
  return text === '' || text === label ? label : `${label}: ${text}`
}

/**
 * The texts of a question's options in order: `yes`/`no` for noul, key and meaning for choice, `i/last: level` for score.
 * The Python twin that trains on the same texts is models/decide-mini/recipe/rendering.py.
 */
export function optionTexts(question: Question): string[] {
  if (question.type === 'noul') {
    return [labelled('yes', question.criteria?.true), labelled('no', question.criteria?.false)]
  }
  if (question.type === 'choice') {
    return Object.entries(question.criteria).map(([key, meaning]) => labelled(key, meaning))
  }
  const last = question.criteria.length - 1
  return question.criteria.map((level, index) => `${index}/${last}: ${asText(level)}`)
}
