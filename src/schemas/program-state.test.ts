import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { type ParseSettings, parseDecisionRequest } from './index.ts'
import { faultOf } from './test-support/fault-of.ts'

const questions = { q: { type: 'noul', instructions: 'x' } }
const read = (state: unknown) => parseDecisionRequest({ state, questions }).state

const refuse = (state: unknown, settings?: ParseSettings) =>
  faultOf(() => parseDecisionRequest({ state, questions }, settings))

class Customer {
  name = 'Ann'
  note: string | undefined = undefined
  readonly #secret = 'x'
  get greeting() {
    return `${this.name} ${this.#secret}`
  }
}

class Price {
  readonly cents: number
  constructor(cents: number) {
    this.cents = cents
  }
  toJSON() {
    return (this.cents / 100).toFixed(2)
  }
}

const date = new Date('2026-01-02T03:04:05.678Z')

describe('a state as a program has it', () => {
  it.each<[string, unknown]>([
    ['members that are undefined', { a: 1, b: undefined, c: { d: undefined } }],
    ['undefined in an array, and a hole', Object.assign([1, undefined], { 3: 2 })],
    ['a date', { at: date, all: [date] }],
    ['a date of another realm', { at: runInNewContext('new Date(0)') }],
    ['an instance of a class', { customer: new Customer() }],
    ['an instance of a class as the state', new Customer()],
    ['toJSON', { price: new Price(1999), link: new URL('https://example.com/a?b') }],
    [
      'toJSON that asks for its name',
      { a: { toJSON: (name: string) => name }, b: [{ toJSON: (name: string) => name }] },
    ],
    [
      'toJSON that answers with members of all kinds',
      { a: { toJSON: () => ({ b: new Price(5), c: undefined, at: date }) } },
    ],
    ['toJSON that answers nothing', { a: { toJSON: () => undefined }, b: [{ toJSON: () => undefined }] }],
    ['toJSON that is no function', { toJSON: 'a name like any other' }],
    ['an error with a toJSON', { fault: Object.assign(new Error('x'), { toJSON: () => 'x' }) }],
    ['a row of an object without a prototype', Object.assign(Object.create(null), { id: 1, at: date })],
    ['a member that is inherited', Object.assign(Object.create({ inherited: 1 }), { own: 1 })],
  ])('%s is read as JSON.stringify reads it', (_, state) => {
    expect(JSON.stringify(read(state))).toBe(JSON.stringify(state))
  })

  it('may be what toJSON makes a text of, and nothing else than a state may be', () => {
    expect(read(date)).toBe('2026-01-02T03:04:05.678Z')
    expect(refuse({ toJSON: () => 5 }).message).toBe('state: must be a string, an object or an array, got a number')
    expect(refuse({ toJSON: () => undefined }).path).toBe('state')
  })

  it('may have questions and options of such texts', () => {
    const question = {
      type: 'choice',
      instructions: { due: date },
      criteria: { a: new Customer(), b: { c: undefined } },
    }
    const parsed = parseDecisionRequest({ state: '', questions: { q: question } })
    expect(JSON.stringify(parsed.questions.q)).toBe(JSON.stringify(question))
  })
})

describe('a fault inside a state', () => {
  it('is told with the whole path and what to do', () => {
    expect(refuse({ rows: [{}, { price: Number.NaN }] }).message).toBe(
      'state.rows.1.price: must be a finite number, got NaN',
    )
    expect(refuse({ id: 5n }).message).toBe(
      'state.id: must be a JSON value, got a bigint; convert it to a string or a number',
    )
    expect(refuse({ tags: new Set(['a']) }).message).toBe('state.tags: must be a JSON value, got a Set; pass [...set]')
    expect(refuse(new Map()).message).toBe('state: must be a JSON value, got a Map; pass Object.fromEntries(map)')
    expect(refuse({ when: new Date('?') }).message).toBe('state.when: must be a valid date')
    expect(refuse({ a: { 'b.c': () => 1 } }).loc).toEqual(['state', 'a', 'b.c'])
  })

  it('is told without names of members to who asks for that', () => {
    const fault = refuse([{ rows: [{ SECRET: Number.NaN }] }], { hidesMembers: true })
    expect(fault.message).toBe('state.0: must be a finite number, got NaN; 3 levels below')
    expect(fault.loc).toEqual(['state', '0'])
    expect(refuse({ SECRET: Number.NaN }, { hidesMembers: true }).reason).toBe(
      'must be a finite number, got NaN; one level below',
    )
  })
})
