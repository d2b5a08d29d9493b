import { describe, expectTypeOf, it } from 'vitest'
import type { DecisionRequestInput, NoulAnswer } from '../../schemas/index.ts'
import type { decideMany as decideManyFunction } from '../index.ts'

declare const decideMany: typeof decideManyFunction

const TEAM = { team: { type: 'choice', criteria: { billing: null, tech: null } } } as const

describe('the outcomes of decideMany', () => {
  it('have the answers of their questions, whatever gives the requests', async () => {
    async function* made() {
      yield { state: 'x', questions: TEAM }
    }
    const sources = [
      decideMany(['x', 'y'].map((state) => ({ state, questions: TEAM }))),
      decideMany(new Set([{ state: 'x', questions: TEAM }])),
      decideMany(made()),
      decideMany([{ state: 'x', questions: { team: { type: 'choice', criteria: { billing: null, tech: null } } } }]),
    ]
    for (const source of sources) {
      for await (const { response, error } of source) {
        if (error) continue
        expectTypeOf(response.answers.team.choice).toEqualTypeOf<'billing' | 'tech'>()
        // @ts-expect-error there is no such question
        void response.answers.other
      }
    }
  })

  it('are one of all where questions differ', async () => {
    const outcomes = decideMany([
      { state: 'x', questions: { urgent: { type: 'noul', instructions: 'Today?' } } },
      { state: 'x', questions: TEAM },
    ])
    for await (const { response } of outcomes) {
      if (!response) continue
      const { answers } = response
      if ('urgent' in answers) expectTypeOf(answers.urgent).toExtend<NoulAnswer>()
      if ('team' in answers) expectTypeOf(answers.team.choice).toEqualTypeOf<'billing' | 'tech'>()
    }
  })

  it('are those of any question where requests are not known', async () => {
    for await (const { response } of decideMany([] as DecisionRequestInput[])) {
      expectTypeOf(response?.answers['any']).not.toBeAny()
    }
  })

  it('are told to onResult too', () => {
    decideMany([{ state: 'x', questions: TEAM }], {
      onResult: ({ response }) =>
        expectTypeOf(response?.answers.team.choice).toEqualTypeOf<'billing' | 'tech' | undefined>(),
    })
  })
})

it('a misspelt field of one request of many is reported where it is', () => {
  decideMany([
    { state: 'x', questions: TEAM },
    {
      state: 'x',
      questions: {
        urgent: {
          type: 'noul',
          instructions: 'Today?',
          // @ts-expect-error this one alone
          min_confidance: 0.5,
        },
      },
    },
  ])
})

it('a field that a request of many does not have is reported too', () => {
  decideMany([
    {
      state: 'x',
      questions: TEAM,
      // @ts-expect-error this one alone
      min_confidance: 0.5,
    },
  ])
})

it('a misspelt field of one of several sets of questions, of which a request has one, is reported', () => {
  const one = { q: { type: 'noul', instructions: 'Today?' } } as const
  const other = { q: { type: 'noul', instructions: 'Now?', min_confidance: 0.5 } } as const
  const questions = Math.random() > 0.5 ? one : other
  // @ts-expect-error there is no such field in this question
  decideMany([{ state: 'x', questions }])
  decideMany([{ state: 'x', questions: Math.random() > 0.5 ? one : TEAM }])
})
