import * as z from 'zod'
import type { DecisionResponse } from './decision-response-types.ts'
import { LEVEL_JSON, readLevel } from './read-text.ts'
import { ownRecord, reader } from './zod-reader.ts'

const unit = z.number().min(0).max(1)
const probabilities = ownRecord(unit, 'an object of probabilities')

const noulAnswer = z.object({
  type: z.literal('noul'),
  noul: unit,
  confidence: unit.optional(),
  decided: z.boolean().optional(),
})
const choiceAnswer = z.object({
  type: z.literal('choice'),
  choice: z.string(),
  probabilities,
  confidence: unit,
  decided: z.boolean().optional(),
})
const scoreAnswer = z.object({
  type: z.literal('score'),
  score: z.number().nonnegative(),
  legend: ownRecord(reader(readLevel, LEVEL_JSON), 'an object of levels'),
  probabilities,
  confidence: unit,
  decided: z.boolean().optional(),
})

/** The answer to a question of any type. */
export const answerSchema = z.discriminatedUnion('type', [noulAnswer, choiceAnswer, scoreAnswer])

/** Body of a decision response. Fields it does not know are left out, so that later versions' responses still parse. */
export const decisionResponseSchema = z.object({
  model: z.string(),
  answers: ownRecord(answerSchema, 'an object of answers'),
  usage: z.object({ input_tokens: z.int().nonnegative(), output_tokens: z.int().nonnegative() }),
  latency_ms: z.int().nonnegative(),
}) as unknown as z.ZodType<DecisionResponse>
