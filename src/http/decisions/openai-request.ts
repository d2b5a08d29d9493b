import { z } from 'zod'
import { LIMITS } from '../../schemas/index.ts'
import { expected } from '../../schemas/zod-reader.ts'
import { inputItems, readableContent, textOr } from './openai-input.ts'

const name = z.string({ error: expected('a string') }).nullish()
const description = z.string({ error: expected('a string') }).nullish()
const instructions = readableContent

const predicate = z.object({ type: z.literal('predicate'), name, instructions })

const { min: fewestOptions, max: mostOptions } = LIMITS.options
const choiceCount = { error: `a choice needs ${fewestOptions} to ${mostOptions} choices` }
const choice = z.object({
  type: z.literal('choice'),
  name,
  instructions,
  choices: z
    .array(
      z.object(
        {
          value: z.union([z.string(), z.boolean()], { error: expected('a string or a boolean') }),
          description,
        },
        { error: expected('an object') },
      ),
      { error: expected('an array of choices') },
    )
    .min(fewestOptions, choiceCount)
    .max(mostOptions, choiceCount)
    // A set tells true from "true", as the wire does.
    .refine((choices) => new Set(choices.map(({ value }) => value)).size === choices.length, {
      error: 'must not have the same value twice',
    }),
})

const { min: fewestLevels, max: mostLevels } = LIMITS.levels
const levelCount = { error: `a score needs ${fewestLevels} to ${mostLevels} levels` }
const score = z.object({
  type: z.literal('score'),
  name,
  instructions,
  levels: z
    .array(
      z.object({ label: z.string({ error: expected('a string') }), description }, { error: expected('an object') }),
      {
        error: expected('an array of levels'),
      },
    )
    .min(fewestLevels, levelCount)
    .max(mostLevels, levelCount),
})

const { min: fewestQuestions, max: mostQuestions } = LIMITS.questions
const questionCount = { error: `a request needs ${fewestQuestions} to ${mostQuestions} questions` }
const questions = z
  .array(
    z.discriminatedUnion('type', [predicate, choice, score], {
      error: ({ code, input }) =>
        code === 'invalid_union'
          ? 'must have a type of "predicate", "choice" or "score"'
          : expected('an object')({ input }),
    }),
    { error: expected('an array of questions') },
  )
  .min(fewestQuestions, questionCount)
  .max(mostQuestions, questionCount)
  .check(({ value, issues }) => {
    const seen = new Set<string>()
    for (const [index, { name }] of value.entries()) {
      if (typeof name !== 'string') continue
      if (seen.has(name)) {
        issues.push({
          code: 'custom',
          input: undefined,
          path: [index, 'name'],
          message: 'must not be that of another question',
        })
      }
      seen.add(name)
    }
  })

/** Body of `POST /v1/decisions`. Cache hints and identifiers of its clients are left out: nothing uses them. */
export const openAiRequestSchema = z.object(
  {
    model: z.string({ error: expected('a string') }).optional(),
    input: textOr(inputItems),
    questions,
  },
  { error: expected('a JSON object') },
)

export type OpenAiRequest = z.output<typeof openAiRequestSchema>
export type OpenAiQuestion = OpenAiRequest['questions'][number]
export type OpenAiContent = z.output<typeof readableContent>
