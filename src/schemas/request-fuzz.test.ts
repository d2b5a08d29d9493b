import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvalidRequestError } from '../errors/index.ts'
import { parseDecisionRequest, parseImageEditRequest, parseImageGenerationRequest } from './index.ts'

const wellFormed = fc.string({ unit: 'binary' })
const oddName = fc.oneof(
  wellFormed,
  fc.constantFrom('__proto__', 'constructor', 'toString', '10', '2', 'q.2', ' a ', 'e\u0301'),
)
const text = fc.oneof(wellFormed, fc.constant(null), fc.array(fc.jsonValue({ stringUnit: 'binary' })))
const threshold = fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined })

/** An object made the way JSON.parse makes one: `__proto__` is its own member. */
function asJson(entries: readonly (readonly [string, unknown])[]): object {
  const members = entries.filter(([, value]) => value !== undefined)
  return JSON.parse(`{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`)
}

type QuestionParts = readonly [type: string, instructions: unknown, criteria: unknown, min_confidence: unknown]

function question([type, instructions, criteria, min_confidence]: QuestionParts): object {
  return asJson(Object.entries({ type, instructions, criteria, min_confidence }))
}

const options = fc
  .uniqueArray(fc.tuple(oddName, text), { minLength: 2, maxLength: 26, selector: ([name]) => name })
  .map(asJson)
const levels = fc.array(
  text.filter((level) => level !== null),
  { minLength: 2, maxLength: 10 },
)
const anyQuestion = fc
  .oneof(
    fc.tuple(fc.constant('noul'), fc.constant('Is it?'), fc.option(fc.record({ true: text, false: text })), threshold),
    fc.tuple(fc.constant('choice'), text, options, threshold),
    fc.tuple(fc.constant('score'), text, levels, threshold),
  )
  .map(question)
const questions = fc
  .uniqueArray(
    fc.tuple(
      oddName.filter((name) => name !== ''),
      anyQuestion,
    ),
    {
      minLength: 1,
      maxLength: 6,
      selector: ([name]) => name,
    },
  )
  .map(asJson)
const validBody = fc
  .tuple(
    text.filter((state) => state !== null),
    questions,
    threshold,
  )
  .map(([state, asked, min_confidence]) => asJson(Object.entries({ state, questions: asked, min_confidence })))

const broken = fc.oneof(
  fc.constantFrom(null, undefined, Number.NaN, Number.POSITIVE_INFINITY, '\ud800', 5n, [], {}, -1, true, () => 1),
  fc.jsonValue(),
  fc.anything(),
)

/** Replaces the value at one place, chosen by the numbers. */
function mutate(body: object, turns: readonly number[], value: unknown): unknown {
  const parents: { readonly target: Record<string, unknown>; readonly name: string }[] = []
  let current: unknown = body
  for (const turn of turns) {
    const names = typeof current === 'object' && current !== null ? Object.keys(current) : []
    if (names.length === 0) break
    const target = current as Record<string, unknown>
    const name = names[turn % names.length]!
    parents.push({ target, name })
    current = target[name]
  }
  const last = parents.at(-1)
  if (last === undefined) return value
  Object.defineProperty(last.target, last.name, { value, enumerable: true })
  return body
}

function parsesOrNamesThePath(parse: (body: unknown) => unknown, body: unknown): void {
  try {
    parse(body)
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidRequestError)
    const { path, loc, message, reason } = error as InvalidRequestError
    expect(path).not.toBe('')
    expect(path).toBe(loc.length === 0 ? 'body' : loc.join('.'))
    expect(message).toBe(`${path}: ${reason}`)
  }
}

describe('any request body', () => {
  it('valid ones parse, stay what they are, and parse again to the same', () => {
    fc.assert(
      fc.property(validBody, (body) => {
        const before = JSON.stringify(body)
        const once = parseDecisionRequest(body)
        expect(JSON.stringify(body)).toBe(before)
        expect(JSON.stringify(once)).toBe(before)
        expect(JSON.stringify(parseDecisionRequest(once))).toBe(before)
        expect(JSON.stringify(structuredClone(once))).toBe(before)
      }),
      { numRuns: 300 },
    )
  })

  it('mutated ones parse or name the path', () => {
    const turns = fc.array(fc.nat(), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(validBody, turns, broken, (body, place, value) => {
        parsesOrNamesThePath(parseDecisionRequest, mutate(body, place, value))
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    ['decision', parseDecisionRequest],
    ['generation', parseImageGenerationRequest],
    ['edit', parseImageEditRequest],
  ] as const)('arbitrary values as a %s request parse or name the path', (_, parse) => {
    const fields = fc.record(
      {
        state: fc.anything(),
        questions: fc.anything(),
        prompt: fc.anything(),
        size: fc.anything(),
        n: fc.anything(),
        image: fc.anything(),
        images: fc.anything(),
        seed: fc.anything(),
        model: fc.anything(),
        min_confidence: fc.anything(),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.oneof(fc.anything({ withNullPrototype: true }), fields), (body) => {
        parsesOrNamesThePath(parse, body)
      }),
      { numRuns: 500 },
    )
  })
})
