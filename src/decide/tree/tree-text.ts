import type { Question, State, Text } from '../../schemas/index.ts'
import { labelled } from '../render-text.ts'

/** A name without white space gets a space at every hump: `orderId` reads `order Id`. */
const HUMP = /([a-z])([A-Z][a-z])/g

/** A field's name or an option's key as words; one of which nothing remains stays as it was. */
function nameText(name: string): string {
  const words = /\s/.test(name) ? name : name.replace(HUMP, '$1 $2')
  return words.replace(/[_\s]+/g, ' ').replace(/^ | $/g, '') || name
}

/**
 * A string as it is, null as nothing, an object as `name: value; name: value`, an array as `value | value`, those inside others in
 * brackets: a WordPiece vocabulary spends several tokens on the quotes of every field of JSON.
 */
export function treeText(value: Text | State | undefined): string {
  return value === null || value === undefined ? '' : valueText(value, false)
}

function valueText(value: unknown, nested: boolean): string {
  if (typeof value === 'string') return value
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const text = Array.isArray(value)
    ? value.map((item) => valueText(item, true)).join(' | ')
    : Object.entries(value)
        .map(([name, item]) => `${nameText(name)}: ${valueText(item, true)}`)
        .join('; ')
  return nested ? `(${text})` : text
}

/** The texts of a question's options in order: `yes`/`no` for noul, name and meaning for choice, the levels for score. */
export function treeOptionTexts(question: Question): string[] {
  if (question.type === 'noul') {
    return [labelled('yes', treeText(question.criteria?.true)), labelled('no', treeText(question.criteria?.false))]
  }
  if (question.type === 'choice') {
    return Object.entries(question.criteria).map(([key, meaning]) => labelled(nameText(key), treeText(meaning)))
  }
  return question.criteria.map((level) => treeText(level))
}
