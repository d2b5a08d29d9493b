import { expectTypeOf, it } from 'vitest'
import type { Engine } from '../engine/index.ts'
import type { ExactDecisionRequest, QuestionsInput } from './index.ts'

declare function decide<const Questions extends QuestionsInput>(request: ExactDecisionRequest<Questions>): void

it('fields that a question does not have are reported where they are, not with each field beside them', () => {
  decide({
    state: 'x',
    questions: {
      text: {
        type: 'noul',
        // @ts-expect-error this one alone
        instruction: 'x',
      },
      number: {
        type: 'choice',
        criteria: { a: null, b: null },
        // @ts-expect-error this one alone
        min_confidance: 0.5,
      },
      nothing: {
        type: 'score',
        criteria: ['a', 'b'],
        // @ts-expect-error this one alone
        min_confidance: null,
      },
      list: {
        type: 'score',
        criteria: ['a', 'b'],
        // @ts-expect-error this one alone
        levels: ['a', 'b'],
      },
    },
  })
})

declare const engine: Engine

it('functions of an app that take questions by themselves, or a request, answer and check as decide does', async () => {
  const ask = <const Questions extends QuestionsInput>(request: ExactDecisionRequest<Questions>) =>
    engine.decide(request)
  const askAbout = <const Questions extends QuestionsInput>(
    state: string,
    questions: ExactDecisionRequest<Questions>['questions'],
  ) => engine.decide<Questions>({ state, questions })
  const team = { type: 'choice', criteria: { billing: 'Payments', tech: 'Bugs' } } as const
  for (const { answers } of [await askAbout('x', { team }), await ask({ state: 'x', questions: { team } })]) {
    expectTypeOf(answers.team.choice).toEqualTypeOf<'billing' | 'tech'>()
  }
  const { answers } = await askAbout('x', { who: { type: 'choice', criteria: { a: null, b: null } } })
  expectTypeOf(answers.who.choice).toEqualTypeOf<'a' | 'b'>()
  // @ts-expect-error a misspelt field
  await askAbout('x', { q: { type: 'noul', instructions: 'x', min_confidance: 0.5 } })
  // @ts-expect-error a misspelt field
  await ask({ state: 'x', questions: { q: { type: 'noul', instructions: 'x', min_confidance: 0.5 } } })
})
