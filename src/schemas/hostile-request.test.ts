import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { LIMITS, parseDecisionRequest, parseImageEditRequest, parseImageGenerationRequest } from './index.ts'
import { faultOf } from './test-support/fault-of.ts'
import { ask } from './test-support/questions.ts'

const questions = { q: { type: 'noul', instructions: 'x' } }

const pathOf = (body: unknown, parse: (body: unknown) => unknown = parseDecisionRequest) =>
  faultOf(() => parse(body)).path

function nested(depth: number): unknown {
  let value: unknown = []
  for (let level = 1; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

function throwing(): never {
  throw new RangeError('SECRET')
}

describe('deep nesting', () => {
  it('is accepted up to the limit and refused beyond', () => {
    expect(() => parseDecisionRequest({ state: nested(LIMITS.jsonDepth), questions })).not.toThrow()
    expect(pathOf({ state: nested(LIMITS.jsonDepth + 1), questions })).toBe('state')
  })

  it.each([10_000, 1_000_000])('of %d levels is a fault, never a stack overflow', (depth) => {
    const deep = nested(depth)
    expect(pathOf({ state: deep, questions })).toBe('state')
    expect(pathOf(ask({ type: 'noul', instructions: deep }))).toBe('questions.q.instructions')
    expect(pathOf(ask({ type: 'score', criteria: ['a', deep] }))).toBe('questions.q.criteria.1')
    expect(pathOf({ state: 'x', questions: { q: deep } })).toMatch(/^questions\.q/)
    expect(pathOf({ state: 'x', questions: { q: { type: deep } } })).toBe('questions.q.type')
    expect(pathOf({ state: 'x', questions, min_confidence: deep })).toBe('min_confidence')
    expect(pathOf(deep)).toBe('state')
  })

  it('of 10,000 levels in JSON text is a fault', () => {
    expect(pathOf(JSON.parse(`{"state":${'['.repeat(10_000)}${']'.repeat(10_000)},"questions":{}}`))).toBe('state')
  })
})

describe('values that JSON would lose', () => {
  class Empty {
    readonly #text = 'x'
    get text() {
      return this.#text
    }
  }
  it.each<[string, unknown]>([
    ['a function', () => 'x'],
    ['a BigInt', 5n],
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['-Infinity', Number.NEGATIVE_INFINITY],
    ['an invalid date', new Date(Number.NaN)],
    ['a Map', new Map()],
    ['a Map with a member', Object.assign(new Map(), { a: 1 })],
    ['a Set', new Set()],
    ['a symbol', Symbol('x')],
    ['an instance without visible members', new Empty()],
    ['bytes', new Uint8Array(4)],
    ['a Buffer, which has a toJSON', Buffer.from('x')],
    ['a boxed string', new String('x')],
    ['a promise', Promise.resolve('x')],
    ['a regular expression', /x/],
    ['an error', Object.assign(new Error('x'), { code: 'x' })],
    ['a Map of another realm', runInNewContext('new Map([[1, 2]])')],
  ])('%s is refused under its whole path', (_, value) => {
    expect(pathOf({ state: { a: [0, value] }, questions })).toBe('state.a.1')
    expect(pathOf({ state: 'x', questions: { q: { type: 'noul', instructions: [value] } } })).toBe(
      'questions.q.instructions.0',
    )
  })

  it('holes in an array far longer than a state may be are refused', () => {
    const sparse: unknown[] = []
    sparse[4_000_000_000] = 1
    expect(pathOf({ state: sparse, questions })).toBe('state')
  })

  it('a class instance, a Map or a Date in place of a map is refused', () => {
    for (const value of [new Map([['q', 1]]), new Date(), new Empty()]) {
      expect(pathOf({ state: 'x', questions: value })).toBe('questions')
      expect(pathOf({ state: 'x', questions: { q: { type: 'choice', criteria: value } } })).toBe('questions.q.criteria')
    }
  })
})

describe('objects that work against the reader', () => {
  it('cycles are refused', () => {
    const loop: Record<string, unknown> = {}
    loop.self = { again: loop }
    expect(pathOf({ state: loop, questions })).toBe('state')
    const questionLoop: Record<string, unknown> = { type: 'choice' }
    questionLoop.criteria = questionLoop
    expect(pathOf({ state: 'x', questions: { q: questionLoop } })).toBe('questions.q.criteria.criteria')
  })

  it('objects shared so often that their JSON explodes are refused', () => {
    let shared: unknown = 'x'
    for (let level = 0; level < 100; level++) shared = [shared, shared]
    expect(pathOf({ state: shared, questions })).toBe('state')
    expect(pathOf(ask({ type: 'noul', instructions: shared }))).toBe('questions.q.instructions')
  })

  it('a getter that throws gives a fault that does not repeat its message', () => {
    const trap = {
      get a() {
        return throwing()
      },
    }
    expect(pathOf({ state: [0, trap], questions })).toBe('state.1.a')
    expect(
      pathOf({
        get state() {
          return throwing()
        },
        questions,
      }),
    ).toBe('body')
    expect(
      pathOf({
        state: 'x',
        questions: {
          q: {
            get type() {
              return throwing()
            },
          },
        },
      }),
    ).toBe('body')
    expect(
      pathOf(
        {
          get prompt() {
            return throwing()
          },
        },
        parseImageGenerationRequest,
      ),
    ).toBe('body')
    expect(() => parseDecisionRequest({ state: trap, questions })).toThrow(/^state.a: could not be read/)
  })

  it.each(['ownKeys', 'get', 'getPrototypeOf', 'getOwnPropertyDescriptor', 'has'] as const)(
    'a proxy whose %s trap throws is refused',
    (trap) => {
      const proxy = new Proxy({ a: 1 }, { [trap]: throwing })
      // zod asks `in` of the body alone, and a plain copy never does.
      if (trap !== 'has') expect(pathOf({ state: proxy, questions })).toMatch(/^(state|body)/)
      expect(pathOf(proxy)).toMatch(/^(state|body)/)
    },
  )

  it('a revoked proxy is refused', () => {
    const { proxy, revoke } = Proxy.revocable([], {})
    revoke()
    for (const body of [proxy, { state: proxy }, { state: [proxy], questions }, { state: 'x', questions: proxy }]) {
      expect(pathOf(body)).toMatch(/^(state|body)/)
    }
    expect(pathOf({ prompt: 'x', images: proxy }, parseImageEditRequest)).toBe('body')
  })

  it('a getter that changes its mind is read once where it matters', () => {
    let reads = 0
    const parsed = parseDecisionRequest({
      state: {
        get a() {
          return reads++ === 0 ? 'text' : 5n
        },
      },
      questions,
    })
    expect(parsed.state).toEqual({ a: 'text' })
  })

  it('members that are inherited do not count', () => {
    const inherited = Object.create({ state: 'x', questions })
    const bare: unknown = Object.assign(Object.create(null), { a: 1 })
    expect(parseDecisionRequest({ state: bare, questions }).state).toEqual({ a: 1 })
    expect(
      pathOf({ state: 'x', questions: { q: JSON.parse('{"__proto__":{"type":"noul","instructions":"x"}}') } }),
    ).toBe('questions.q.type')
    expect(pathOf({ state: inherited, questions })).toBe('state')
  })

  it('plain objects of another realm are plain objects', () => {
    const foreign = runInNewContext('({ state: { a: [1] }, questions: { q: { type: "noul", instructions: ["x"] } } })')
    expect(JSON.stringify(parseDecisionRequest(foreign))).toBe(JSON.stringify(foreign))
  })
})
