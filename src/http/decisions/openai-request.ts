import * as z from 'zod'
import { LIMITS, type OptionLimits } from '../../schemas/index.ts'
import { expected, unicodeString } from '../../schemas/zod-reader.ts'
import { listOf } from './list-of.ts'
import { inputItems, readableContent, textOr } from './openai-input.ts'

const length = { error: `must be at most ${LIMITS.nameCharacters.toLocaleString('en-US')} characters` }
/** It comes back in the answer, where clients of most languages could not read half a character. */
const name = unicodeString('a string').max(LIMITS.nameCharacters, length).nullish()
const description = z.string({ error: expected('a string') }).nullish()
const instructions = readableContent

const predicate = z.object({ type: z.literal('predicate'), name, instructions })

function choiceSchema(maxOptions: number) {
  const { min } = LIMITS.options
  return z.object({
    type: z.literal('choice'),
    name,
    instructions,
    choices: listOf(
      z.object(
        {
          value: z.union([z.string().max(LIMITS.nameCharacters, length), z.boolean()], {
            error: expected('a string or a boolean'),
          }),
          description,
        },
        { error: expected('an object') },
      ),
      {
        what: 'an array of choices',
        min,
        max: maxOptions,
        count: `a choice needs ${min} to ${maxOptions} choices`,
        // A set tells true from "true", as the wire does.
        check: (choices) =>
          new Set(choices.map(({ value }) => value)).size === choices.length
            ? undefined
            : { path: [], message: 'must not have the same value twice' },
      },
    ),
  })
}

const score = z.object({
  type: z.literal('score'),
  name,
  instructions,
  levels: listOf(
    z.object({ label: z.string({ error: expected('a string') }), description }, { error: expected('an object') }),
    {
      what: 'an array of levels',
      ...LIMITS.levels,
      count: `a score needs ${LIMITS.levels.min} to ${LIMITS.levels.max} levels`,
    },
  ),
})

function questionsSchema(maxOptions: number) {
  const question = z.discriminatedUnion('type', [predicate, choiceSchema(maxOptions), score], {
    error: ({ code, input }) =>
      code === 'invalid_union'
        ? 'must have a type of "predicate", "choice" or "score"'
        : expected('an object')({ input }),
  })
  return listOf(question, {
    what: 'an array of questions',
    ...LIMITS.questions,
    count: `a request needs ${LIMITS.questions.min} to ${LIMITS.questions.max} questions`,
    check(list) {
      const names = list.map(({ name }) => name)
      const second = names.findIndex((name, index) => typeof name === 'string' && names.indexOf(name) < index)
      return second < 0 ? undefined : { path: [second, 'name'], message: 'must not be that of another question' }
    },
  })
}

/** Body of `POST /v1/decisions`. Cache hints and identifiers of its clients are left out: nothing uses them. */
export function createOpenAiRequestSchema({ maxOptions = LIMITS.options.max }: OptionLimits = {}) {
  return z.object(
    {
      model: z.string({ error: expected('a string') }).optional(),
      input: textOr(inputItems),
      questions: questionsSchema(maxOptions),
    },
    { error: expected('a JSON object') },
  )
}

export type OpenAiRequest = z.output<ReturnType<typeof createOpenAiRequestSchema>>
export type OpenAiQuestion = OpenAiRequest['questions'][number]
export type OpenAiContent = z.output<typeof readableContent>
