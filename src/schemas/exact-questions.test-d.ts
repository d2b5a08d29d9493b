import { it } from 'vitest'
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
