import type { SharedV4ProviderOptions } from '@ai-sdk/provider'
import { describe, expectTypeOf, it } from 'vitest'
import type * as z from 'zod'
import type { TesseraProviderOptions, TesseraProviderSettings } from '../ai-sdk/index.ts'
import type { decide as decideFunction, EngineOptions } from '../engine/index.ts'
import type { CalibrateOptions, EvaluateOptions } from '../evaluate/index.ts'
import type { NodeTimeouts } from '../http/adapters/node.ts'
import type { JobOptions, KeyConfig, RateLimits, ServerOptions } from '../http/index.ts'
import type { QueueEngineOptions, WorkerOptions } from '../queue/index.ts'
import type {
  AnswersOf,
  ChoiceAnswer,
  DecisionRequest,
  DecisionRequestInput,
  DecisionResponse,
  ExactDecisionRequest,
  ImageData,
  ImageEditRequestInput,
  imageEditRequestSchema,
  ImageGenerationRequestInput,
  imageGenerationRequestSchema,
  ImageResponse,
  NoulAnswer,
  parseDecisionRequest,
  ParseSettings,
  QuestionInput,
  QuestionsInput,
  ScoreAnswer,
  ThresholdInput,
} from './index.ts'

// What is awaited does not matter here.
declare function decide<
  const Questions extends QuestionsInput,
  const Threshold extends ThresholdInput = ThresholdInput,
>(request: ExactDecisionRequest<Questions, Threshold>): DecisionResponse<Questions, Threshold>

type Eleven = readonly [...Ten, string]
type Ten = readonly [string, string, string, string, string, string, string, string, string, string]

enum Team {
  Billing = 'billing',
  Tech = 'tech',
}

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

  it('name the options of a choice by the enum that they were given by', () => {
    const criteria = { [Team.Billing]: 'Payments', [Team.Tech]: 'Bugs' }
    const { answers } = decide({ state: 'x', questions: { team: { type: 'choice', criteria } } })
    expectTypeOf(answers.team.choice).toEqualTypeOf<Team>()
    expectTypeOf(answers.team.probabilities).toEqualTypeOf<Readonly<Record<Team, number>>>()
  })

  it('have their types in a function that passes a request on', () => {
    const ask = <const Questions extends QuestionsInput>(request: ExactDecisionRequest<Questions>) => decide(request)
    const { answers } = ask({
      state: 'x',
      questions: { team: { type: 'choice', criteria: { billing: '', tech: '' } } },
    })
    expectTypeOf(answers.team.choice).toEqualTypeOf<'billing' | 'tech'>()
  })

  it('have decided for certain only where the question sets a threshold', () => {
    expectTypeOf(answers.sure.decided).toEqualTypeOf<boolean>()
    expectTypeOf(answers.sure.confidence).toEqualTypeOf<number>()
    expectTypeOf(answers.who.decided).toEqualTypeOf<boolean>()
    expectTypeOf(answers.urgent.decided).toEqualTypeOf<boolean | undefined>()
    expectTypeOf(answers.urgent.confidence).toEqualTypeOf<number | undefined>()
    expectTypeOf(answers.team.confidence).toEqualTypeOf<number>()
  })

  it('have decided for certain where the request sets a threshold', () => {
    const asked = decide({
      state: 'x',
      questions: {
        q: { type: 'noul', instructions: 'x' },
        null: { type: 'noul', instructions: 'x', min_confidence: null },
      },
      min_confidence: 0.5,
    })
    expectTypeOf(asked.answers.q.decided).toEqualTypeOf<boolean>()
    expectTypeOf(asked.answers.null.confidence).toEqualTypeOf<number>()
    const { answers: unsure } = decide({
      state: 'x',
      questions: { q: { type: 'noul', instructions: 'x' } },
      min_confidence: null as number | null,
    })
    expectTypeOf(unsure.q.decided).toEqualTypeOf<boolean | undefined>()
  })

  it('do not have decided for certain where the request sets a threshold on a condition', async () => {
    const ask = {} as typeof decideFunction
    const questions = { q: { type: 'noul', instructions: 'x' } } as const
    const given = {} as { maybe?: number; sure: number; either: number | undefined }
    const asked = [
      await ask({ state: 'x', questions, min_confidence: given.maybe }),
      await ask({ state: 'x', questions, min_confidence: given.either }),
    ]
    for (const { answers } of asked) expectTypeOf(answers.q.decided).toEqualTypeOf<boolean | undefined>()
    const { answers } = await ask({ state: 'x', questions, min_confidence: given.sure })
    expectTypeOf(answers.q.decided).toEqualTypeOf<boolean>()
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
    // @ts-expect-error there must be a question
    decide({ state: 'x', questions: {} })
    // @ts-expect-error one option is no choice
    decide({ state: 'x', questions: { q: { type: 'choice', criteria: { only: null } } } })
    // @ts-expect-error one level is no scale
    decide({ state: 'x', questions: { q: { type: 'score', criteria: ['only'] } } })
    // @ts-expect-error eleven levels are too many
    decide({ state: 'x', questions: { q: { type: 'score', criteria: [...'abcdefghijk'] as unknown as Eleven } } })
  })

  it('with misspelt fields are refused by the compiler', () => {
    // @ts-expect-error of a noul
    decide({ state: 'x', questions: { q: { type: 'noul', instructions: 'x', min_confidance: 0.5 } } })
    // @ts-expect-error of a choice
    decide({ state: 'x', questions: { q: { type: 'choice', criteria: { a: null, b: null }, instruction: 'x' } } })
    // @ts-expect-error of a request
    decide({ state: 'x', questions: { q: { type: 'noul', instructions: 'x' } }, minConfidence: 0.5 })
    // @ts-expect-error of a noul's criteria
    decide({ state: 'x', questions: { q: { type: 'noul', criteria: { yes: 'x' } } } })
    const question = { type: 'noul', instructions: 'x', min_confidance: 0.5 } as const
    // @ts-expect-error of a question that was written elsewhere
    decide({ state: 'x', questions: { q: question } })
  })

  it('that are not known field by field are taken', () => {
    decide({ state: 'x', questions: {} as QuestionsInput })
    decide({ state: 'x', questions: { q: {} as QuestionInput } })
    decide({ state: 'x', questions: { q: { type: 'choice', criteria: {} as Record<string, string> } } })
    decide({ state: 'x', questions: { q: { type: 'choice', criteria: {} as Record<`team-${string}`, string> } } })
    decide({ state: 'x', questions: { q: { type: 'choice', criteria: {} as Record<'a' | 'b', null> } } })
    decide({ state: 'x', questions: { q: { type: 'score', criteria: [] as string[] } } })
    decide({} as DecisionRequestInput)
    decide({} as DecisionRequest)
    const foreign = { state: 'x', questions: { q: { type: 'noul', instructions: 'x', x_trace: 1 } }, user: 'x' }
    decide(foreign as DecisionRequestInput)
    expectTypeOf<typeof decideFunction>().parameter(0).toExtend<DecisionRequestInput>()
  })

  it('for pictures are what their schemas take', () => {
    type Generation = z.input<typeof imageGenerationRequestSchema>
    expectTypeOf<keyof ImageGenerationRequestInput>().toEqualTypeOf<keyof Generation>()
    expectTypeOf<ImageGenerationRequestInput>().toExtend<Generation>()
    type Edit = z.input<typeof imageEditRequestSchema>
    expectTypeOf<keyof ImageEditRequestInput>().toEqualTypeOf<keyof Edit>()
    expectTypeOf<ImageEditRequestInput>().toExtend<Edit>()
  })
})

describe('pictures', () => {
  it('are one or more', () => {
    expectTypeOf<ImageResponse['data'][0]['b64_json']>().toEqualTypeOf<string>()
    expectTypeOf<ImageResponse['data'][number]>().toEqualTypeOf<ImageData>()
  })
})

describe('models of an engine', () => {
  it('have the names of the specification or others', () => {
    expectTypeOf<{ 'decide-latest': string; mine: string }>().toExtend<NonNullable<EngineOptions['models']>>()
    // @ts-expect-error a job is no model name
    const models: EngineOptions['models'] = { decide: 'Qwen/Qwen3-4B' }
    expectTypeOf(models).not.toBeNever()
  })

  it('take undefined for what is not set, also where optional properties are exact', () => {
    expectTypeOf<{ threads: number | undefined; keepStates: undefined }>().toExtend<EngineOptions>()
    expectTypeOf<{ maxOptions: number | undefined; onProgress: undefined }>().toExtend<EvaluateOptions>()
    expectTypeOf<{ onProgress: undefined }>().toExtend<CalibrateOptions>()
    expectTypeOf<{ maxOptions: number | undefined; hidesMembers: undefined }>().toExtend<ParseSettings>()
    type Undefined<T> = { readonly [Name in keyof T]?: undefined }
    expectTypeOf<Undefined<Omit<ServerOptions, 'engine'>>>().toExtend<Omit<ServerOptions, 'engine'>>()
    expectTypeOf<Undefined<JobOptions>>().toExtend<JobOptions>()
    expectTypeOf<Undefined<RateLimits>>().toExtend<RateLimits>()
    expectTypeOf<{ secret: undefined; allowPrivate: undefined }>().toExtend<NonNullable<ServerOptions['webhooks']>>()
    expectTypeOf<{ decisions: undefined }>().toExtend<NonNullable<ServerOptions['prices']>>()
    expectTypeOf<Undefined<NodeTimeouts>>().toExtend<NodeTimeouts>()
    expectTypeOf<{ connection: string; keys: undefined; maxWaiting: undefined }>().toExtend<QueueEngineOptions>()
    expectTypeOf<{ connection: string; jobs: undefined; leaseMs: undefined }>().toExtend<WorkerOptions>()
    expectTypeOf<Undefined<TesseraProviderSettings>>().toExtend<TesseraProviderSettings>()
    expectTypeOf<Undefined<TesseraProviderOptions>>().toExtend<TesseraProviderOptions>()
  })

  it('take lists that are constant', () => {
    expectTypeOf<{ key: string; scopes: readonly ['decide']; models: readonly ['a'] }>().toExtend<KeyConfig>()
  })

  it('are what the AI SDK takes as options of a provider', () => {
    expectTypeOf<TesseraProviderOptions>().toExtend<SharedV4ProviderOptions[string]>()
  })
})
