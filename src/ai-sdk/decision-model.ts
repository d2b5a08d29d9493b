import {
  type Experimental_DecisionModelV4 as DecisionModelV4,
  type Experimental_DecisionModelV4Answer as DecisionAnswer,
  type Experimental_DecisionModelV4CallOptions as DecisionCallOptions,
  type Experimental_DecisionModelV4Question as DecisionQuestion,
  type Experimental_DecisionModelV4State as DecisionState,
  type SharedV4Warning,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider'
import type { Answer, DecisionRequestInput, QuestionInput, StateInput } from '../schemas/index.ts'
import { type Callee, chooseCalls } from './model-calls.ts'
import { passOn, warnOfUnknown } from './warnings.ts'

/** Answers yes/no, choice and score questions with calibrated probabilities. */
export function createDecisionModel(callee: Callee, modelId: string): DecisionModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'tessera',
    modelId,
    supportedQuestionTypes: ['boolean', 'choice', 'score'],
    async doDecide(options) {
      const request = {
        model: modelId,
        state: toState(options.state),
        questions: mapValues(options.questions, toQuestion),
      }
      const { providerOptions, headers, abortSignal: signal } = options
      const calls = chooseCalls(callee, providerOptions?.tessera, headers)
      const { answers, usage, model, warnings } = await calls.decide(request as DecisionRequestInput, { signal })
      const confident = Object.entries(answers).filter(([, answer]) => answer.type !== 'noul')
      return {
        answers: mapValues(answers, toAnswer),
        warnings: [...findWarnings(options), ...passOn(warnings)],
        usage: { inputTokens: usage.input_tokens, outputTokens: usage.output_tokens },
        providerMetadata: {
          tessera: { confidence: Object.fromEntries(confident.map(([name, { confidence }]) => [name, confidence!])) },
        },
        response: { modelId: model },
      }
    },
  }
}

/** A single part is the state itself; several are read in their order. */
function toState(parts: DecisionState): StateInput {
  const contents = parts.map((part) => {
    if (part.type === 'text') return part.text
    if (part.type === 'json') return part.value
    throw new UnsupportedFunctionalityError({
      functionality: 'files in a state',
      message: 'decisions are made on text and JSON, not on files',
    })
  })
  // The schema says what JSON a state may be.
  return (contents.length === 1 ? contents[0] : contents) as StateInput
}

/** What the AI SDK calls boolean is a noul here; the other types have the same names and members. */
function toQuestion(question: DecisionQuestion): QuestionInput {
  return { ...question, type: question.type === 'boolean' ? 'noul' : question.type } as QuestionInput
}

function toAnswer(answer: Answer): DecisionAnswer {
  if (answer.type === 'noul') return { type: 'boolean', probability: answer.noul }
  const { probabilities } = answer
  if (answer.type === 'choice') return { type: 'choice', choice: answer.choice, probabilities: { ...probabilities } }
  return { type: 'score', score: answer.score, probabilities: { ...probabilities } }
}

function findWarnings({ maxOutputTokens, reasoning, providerOptions }: DecisionCallOptions): SharedV4Warning[] {
  const ignored = Object.entries({ maxOutputTokens, reasoning }).filter(([, value]) => value !== undefined)
  const details = 'a decision is read from one pass, not written'
  return [
    ...ignored.map(([feature]) => ({ type: 'unsupported', feature, details }) as const),
    ...warnOfUnknown(providerOptions, ['background']),
  ]
}

function mapValues<From, To>(record: Readonly<Record<string, From>>, map: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]))
}
