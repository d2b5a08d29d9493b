import fc from 'fast-check'
import type { DecisionRequestInput } from '../../src/schemas/index.ts'

/** Any text that is Unicode: emoji, control characters and other planes, but no lone surrogates. */
const anyText = fc.string({ unit: 'binary', maxLength: 30 })
const hostileName = fc.constantFrom(
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '10',
  '2',
  'q.2',
  ' a ',
  'e\u0301',
  '\u00e9',
  '😀👩‍👩‍👧',
  '\u0000',
  '[MASK]',
  '<|im_end|>',
)
const anyName = fc.oneof(anyText, hostileName)
const anyContent = fc.oneof(
  anyText,
  fc.dictionary(anyName, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
  fc.array(anyText, { maxLength: 3 }),
)
const anyMeaning = fc.oneof(anyContent, fc.constant(null))
const threshold = fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined })

type Entries = readonly (readonly [string, unknown])[]

/** An object made the way JSON.parse makes one: `__proto__` is its own member. */
export function asJson(entries: Entries): object {
  const members = entries.filter(([, value]) => value !== undefined)
  return JSON.parse(
    `{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`,
  ) as object
}

function record(value: fc.Arbitrary<unknown>, name: fc.Arbitrary<string>, minLength: number, maxLength: number) {
  const members = fc.tuple(name, value)
  return fc.uniqueArray(members, { minLength, maxLength, selector: ([key]) => key }).map(asJson)
}

const anyQuestion = fc.oneof(
  fc.record({
    type: fc.constant('noul'),
    instructions: fc.constant('Is it?'),
    criteria: fc.option(fc.record({ true: anyMeaning, false: anyMeaning })),
  }),
  fc.record({ type: fc.constant('choice'), instructions: anyMeaning, criteria: record(anyMeaning, anyName, 2, 26) }),
  fc.record({
    type: fc.constant('score'),
    instructions: anyMeaning,
    criteria: fc.array(anyContent, { minLength: 2, maxLength: 10 }),
  }),
)
const thresholdQuestion = fc
  .tuple(anyQuestion, threshold)
  .map(([question, min_confidence]) => asJson(Object.entries({ ...question, min_confidence })))

/** A valid request of 1 to 32 questions with hostile names, 2 to 26 options and 2 to 10 levels. */
export const validRequest = fc
  .tuple(
    anyContent,
    record(
      thresholdQuestion,
      anyName.filter((name) => name !== ''),
      1,
      32,
    ),
    threshold,
  )
  .map(
    ([state, questions, min_confidence]) =>
      asJson(Object.entries({ state, questions, min_confidence })) as DecisionRequestInput,
  )

const brokenValue = fc.oneof(
  fc.constantFrom(
    null,
    undefined,
    Number.NaN,
    '\ud800',
    5n,
    [],
    {},
    -1,
    true,
    () => 1,
    Symbol('x'),
    new Map(),
    new Date(0),
  ),
  fc.jsonValue(),
  fc.anything(),
)

/** A valid request in which the value at one place, at any depth, is another. */
export const mutatedRequest = fc
  .tuple(validRequest, fc.array(fc.nat(), { minLength: 1, maxLength: 5 }), brokenValue)
  .map(([request, turns, value]) => {
    let parent: object = request
    for (const [index, turn] of turns.entries()) {
      const names = Object.keys(parent)
      const name = names[turn % names.length]
      if (name === undefined) break
      const member = (parent as Record<string, unknown>)[name]
      if (index < turns.length - 1 && typeof member === 'object' && member !== null) parent = member
      else {
        Object.defineProperty(parent, name, { value, enumerable: true })
        break
      }
    }
    return request
  })
