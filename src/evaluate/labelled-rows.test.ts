import { expect, it } from 'vitest'
import { readLabels } from './labelled-rows.ts'

it.each([
  ['true', true, 1],
  [true, true, 1],
  [7, true, 0],
  ['7', true, 0],
  [null, false, 0],
  [' true', false, 0],
])('the label %j of a choice is one of its keys as JSON writes it, too (%s)', (label, isKey, gold) => {
  const questions = { q: { type: 'choice', criteria: { true: null, 7: null } } } as const
  const read = () => readLabels({ state: 's', questions, labels: { q: label as string } }, 0)
  if (isKey) expect(read()).toMatchObject([{ name: 'q', gold }])
  else expect(read).toThrow('rows.0.labels.q: must be one of 7, true, got ')
})
