import type { ChoiceQuestion, State, Text } from '../schemas/index.ts'

/** A string as it is, null as nothing, anything else as compact JSON in the caller's key order. */
export function asText(value: Text | State | undefined): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** An option's name, and its meaning where that says more. */
export function labelled(label: string, text: string): string {
  return text === '' || text === label ? label : `${label}: ${text}`
}

/** The texts of a choice's options in order: its key, and its meaning where that says more. */
export function choiceTexts({ criteria }: ChoiceQuestion): string[] {
  return Object.entries(criteria).map(([key, meaning]) => labelled(key, asText(meaning)))
}
