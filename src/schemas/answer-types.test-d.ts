import { describe, expectTypeOf, it } from 'vitest'
import type {
  AnswersOf,
  ChoiceAnswer,
  DecisionRequest,
  DecisionRequestInput,
  DecisionResponse,
  NoulAnswer,
  parseDecisionRequest,
  QuestionsInput,
  ScoreAnswer,
} from './index.ts'

declare function decide<const Questions extends QuestionsInput>(
  request: DecisionRequestInput<Questions>,
): DecisionResponse<Questions>

interface Ticket {
  readonly subject: string
  readonly note?: string
}

describe('the answers of decide', () => {
  const ticket: Ticket = { subject: 'x' }
  const { answers } = decide({
    state: ticket,
    questions: {
      urgent: { type: 'noul', instructions: 'Today?' },
      team: { type: 'choice', criteria: { billing: 'Payments', tech: null } },
      anger: { type: 'score', instructions: 'How angry?', criteria: ['calm', { is: 'furious' }] },
      sure: { type: 'noul', instructions: 'Sure?', min_confidence: 0.6 },
      who: { type: 'choice', criteria: { a: 'x', 2: 'y' }, min_confidence: 0 },
    },
    min_confidence: 0.5,
  })

  it('are typed by the question under each name', () => {
    expectTypeOf(answers).toHaveProperty('urgent')
    expectTypeOf<keyof typeof answers>().toEqualTypeOf<'urgent' | 'team' | 'anger' | 'sure' | 'who'>()
    expectTypeOf(answers.urgent).toEqualTypeOf<NoulAnswer>()
    expectTypeOf(answers.anger).toEqualTypeOf<ScoreAnswer>()
  })

  it('name the options of a choice', () => {
    expectTypeOf(answers.team.choice).toEqualTypeOf<'billing' | 'tech'>()
    expectTypeOf(answers.team.probabilities).toEqualTypeOf<Readonly<Record<'billing' | 'tech', number>>>()
    expectTypeOf(answers.who.choice).toEqualTypeOf<'a' | '2'>()
  })

  it('have decided for certain only where the question sets a threshold', () => {
    expectTypeOf(answers.sure.decided).toEqualTypeOf<boolean>()
    expectTypeOf(answers.sure.confidence).toEqualTypeOf<number>()
    expectTypeOf(answers.who.decided).toEqualTypeOf<boolean>()
    expectTypeOf(answers.urgent.decided).toEqualTypeOf<boolean | undefined>()
    expectTypeOf(answers.urgent.confidence).toEqualTypeOf<number | undefined>()
    expectTypeOf(answers.team.confidence).toEqualTypeOf<number>()
  })

  it('are told apart by type when the questions are not known at compile time', () => {
    const answer = {} as AnswersOf<QuestionsInput>[string]
    if (answer.type === 'noul') expectTypeOf(answer).toExtend<NoulAnswer>()
    if (answer.type === 'choice') expectTypeOf(answer).toExtend<ChoiceAnswer>()
    expectTypeOf<DecisionResponse['answers'][string]['type']>().toEqualTypeOf<'noul' | 'choice' | 'score'>()
  })
})

describe('requests', () => {
  it('that passed validation may be passed on', () => {
    expectTypeOf<ReturnType<typeof parseDecisionRequest>>().toEqualTypeOf<DecisionRequest>()
    expectTypeOf<DecisionRequest>().toExtend<DecisionRequestInput>()
  })

  it('with wrong questions are refused by the compiler', () => {
    // @ts-expect-error a choice needs criteria
    decide({ state: 'x', questions: { q: { type: 'choice' } } })
    // @ts-expect-error there is no such type
    decide({ state: 'x', questions: { q: { type: 'boolean', instructions: 'x' } } })
    // @ts-expect-error a level must be described
    decide({ state: 'x', questions: { q: { type: 'score', criteria: ['a', null] } } })
    // @ts-expect-error a state is no number
    decide({ state: 5, questions: { q: { type: 'noul', instructions: 'x' } } })
  })
})
