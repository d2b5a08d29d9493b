import { expectTypeOf, it } from 'vitest'
import type { decide as decideFunction } from '../engine/index.ts'
import type { NoulAnswer } from './index.ts'

declare const decide: typeof decideFunction

const QUESTIONS = {
  email: { spam: { type: 'noul', instructions: 'Is it spam?' } },
  ticket: { urgent: { type: 'noul', instructions: 'Today?' } },
} as const
const TEAMS = {
  de: { billing: 'Zahlungen', tech: 'Fehler', versand: 'Pakete' },
  en: { billing: 'Payments', tech: 'Bugs', shipping: 'Parcels' },
} as const
const APART = { de: { rechnung: 'x', technik: 'y' }, en: { billing: 'x', tech: 'y' } } as const
declare const kind: keyof typeof QUESTIONS
declare const lang: keyof typeof TEAMS

it('one of several sets of questions has the answers of one of them', async () => {
  const { answers } = await decide({ state: 'x', questions: QUESTIONS[kind] })
  // @ts-expect-error the question may be another one
  void answers.spam
  if ('spam' in answers) expectTypeOf(answers.spam).toEqualTypeOf<NoulAnswer>()
  else expectTypeOf(answers.urgent).toEqualTypeOf<NoulAnswer>()
})

it('one of several sets of options has the answer of one of them', async () => {
  const apart = await decide({ state: 'x', questions: { team: { type: 'choice', criteria: APART[lang] } } })
  expectTypeOf(apart.answers.team.choice).toEqualTypeOf<'rechnung' | 'technik' | 'billing' | 'tech'>()
  const { answers } = await decide({ state: 'x', questions: { team: { type: 'choice', criteria: TEAMS[lang] } } })
  expectTypeOf(answers.team.choice).toEqualTypeOf<'billing' | 'tech' | 'versand' | 'shipping'>()
  expectTypeOf(answers.team.probabilities.billing).toEqualTypeOf<number>()
  // @ts-expect-error the options may be the others
  void answers.team.probabilities.versand
})

it('an option on a condition may have no probability', async () => {
  const vip = {} as boolean
  const criteria = { billing: 'Payments', tech: 'Bugs', 3: null, ...(vip && { manager: 'Complaints' }) }
  const { answers } = await decide({ state: 'x', questions: { team: { type: 'choice', criteria } } })
  const { choice, probabilities } = answers.team
  expectTypeOf(choice).toEqualTypeOf<'billing' | 'tech' | '3' | 'manager'>()
  expectTypeOf(probabilities.manager).toEqualTypeOf<number | undefined>()
  expectTypeOf(probabilities.billing).toEqualTypeOf<number>()
  expectTypeOf(probabilities[3]).toEqualTypeOf<number>()

  const some: Partial<Record<'a' | 'b', string>> = { a: 'x' }
  const { answers: partial } = await decide({ state: 'x', questions: { q: { type: 'choice', criteria: some } } })
  expectTypeOf(partial.q.probabilities).toEqualTypeOf<Readonly<Partial<Record<'a' | 'b', number>>>>()
})

it('each set is checked as one alone is', () => {
  const few = { de: { rechnung: 'x' }, en: { billing: 'x', tech: 'y' } } as const
  // @ts-expect-error a choice of one option
  void decide({ state: 'x', questions: { team: { type: 'choice', criteria: few[lang] } } })
  const none = { de: {}, en: { spam: { type: 'noul', instructions: 'Is it spam?' } } } as const
  // @ts-expect-error a request without questions
  void decide({ state: 'x', questions: none[lang] })
  const misspelt = { de: QUESTIONS.email, en: { spam: { type: 'noul', instruction: 'Is it spam?' } } } as const
  // @ts-expect-error a field that a question does not have
  void decide({ state: 'x', questions: misspelt[lang] })
})
