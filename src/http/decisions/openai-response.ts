import * as z from 'zod'
import type { Answer, DecisionResponse } from '../../schemas/index.ts'
import { optionNames } from './openai-mapping.ts'
import type { OpenAiQuestion, OpenAiRequest } from './openai-request.ts'

const unit = z.number().min(0).max(1)
const name = z.string().nullable()
const value = z.union([z.string(), z.boolean()])
const tokens = z.int().nonnegative()

/** Body of the response of `POST /v1/decisions`. */
export const openAiResponseSchema = z.object({
  model: z.string(),
  answers: z.array(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('predicate'), name, probability: unit }),
      z.object({
        type: z.literal('choice'),
        name,
        choice: value,
        confidence: unit,
        probabilities: z.array(z.object({ value, probability: unit })),
      }),
      z.object({
        type: z.literal('score'),
        name,
        score: z.number().nonnegative(),
        confidence: unit,
        probabilities: z.array(z.object({ value: tokens, label: z.string(), probability: unit })),
      }),
    ]),
  ),
  usage: z.object({
    input_tokens: tokens,
    input_tokens_details: z.object({ cached_tokens: tokens, cache_write_tokens: tokens }),
    output_tokens: tokens,
    output_tokens_details: z.object({ reasoning_tokens: tokens }),
    total_tokens: tokens,
  }),
})

type OpenAiResponse = z.output<typeof openAiResponseSchema>

/** A decision as this wire gives it: answers in the order of the questions, values as they came. */
export function toOpenAiResponse(
  { questions }: OpenAiRequest,
  { model, answers, usage }: DecisionResponse,
): OpenAiResponse {
  const { input_tokens, output_tokens } = usage
  return {
    model,
    answers: questions.map((question, index) => toOpenAiAnswer(question, answers[index]!)),
    usage: {
      input_tokens,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input_tokens + output_tokens,
    },
  }
}

function toOpenAiAnswer(question: OpenAiQuestion, answer: Answer): OpenAiResponse['answers'][number] {
  const name = question.name ?? null
  if (question.type === 'choice' && answer.type === 'choice') {
    const options = optionNames(question)
    return {
      type: 'choice',
      name,
      choice: question.choices[options.indexOf(answer.choice)]!.value,
      confidence: answer.confidence,
      probabilities: question.choices.map(({ value }, index) => ({
        value,
        probability: answer.probabilities[options[index]!]!,
      })),
    }
  }
  if (question.type === 'score' && answer.type === 'score') {
    return {
      type: 'score',
      name,
      score: answer.score,
      confidence: answer.confidence,
      probabilities: question.levels.map(({ label }, value) => ({
        value,
        label,
        probability: answer.probabilities[value]!,
      })),
    }
  }
  if (answer.type !== 'noul')
    throw new TypeError(`expected an answer to a ${question.type}, got one to a ${answer.type}`)
  return { type: 'predicate', name, probability: answer.noul }
}
