import * as z from 'zod'
import type { Answer, Question } from '../schemas/index.ts'
import { answerQuestion } from './answer.ts'
import { questionHeadSchema, readHead } from './question-head.ts'

const finite = z.number().finite()

interface AskedQuestion {
  readonly type: string
  readonly criteria?: unknown
}

/** What its options are called, where they have names. */
function optionsOf({ type, criteria }: AskedQuestion): readonly string[] {
  return type === 'choice' ? Object.keys(criteria ?? {}) : []
}

/** How many options a question in a file has; what else is wrong with its criteria only makes it another question. */
function countOptions({ type, criteria }: AskedQuestion): number {
  return type === 'noul' ? 2 : Object.keys(criteria ?? {}).length
}

function areSame(some: readonly string[], others: readonly string[]): boolean {
  return JSON.stringify(some.toSorted()) === JSON.stringify(others.toSorted())
}

/** What was fitted for one question, and how its logits change by it. */
const ownQuestionSchema = z
  .object({
    /** The question as it is asked, without its name and `min_confidence`; other wordings are other questions. */
    question: z.object({
      type: z.enum(['noul', 'choice', 'score']),
      instructions: z.unknown().optional(),
      criteria: z.unknown().optional(),
    }),
    /**
     * Of a choice the names of its options in the order of `bias` and `head`: that of the members of `criteria` may be another where the file was kept
     * in a database or written by another program.
     */
    options: z.array(z.string()).optional(),
    /** Labelled rows that it was fitted on. */
    rows: z.number().int().min(1),
    /** Logits are divided by it after the model's own calibration. */
    temperature: finite.positive(),
    /** Added to the logits after that, one per option: of a noul yes and no, of a score from the first level on. */
    bias: z.array(finite),
    /** Adds to the logits after that, where it was fitted. */
    head: questionHeadSchema.optional(),
  })
  .refine(({ question, bias }) => bias.length === countOptions(question), {
    path: ['bias'],
    error: ({ input }) => {
      const { question, bias } = input as { question: AskedQuestion; bias: number[] }
      return `must have a number for each of the ${countOptions(question)} options of its question, got ${bias.length}`
    },
  })
  .refine(({ question, options }) => options === undefined || areSame(options, optionsOf(question)), {
    path: ['options'],
    error: 'must be the names of the options of its question',
  })
  .refine(({ head, bias }) => head === undefined || readHead(head, bias.length) !== undefined, {
    path: ['head', 'weights'],
    error: ({ input }) => {
      const { bias, head } = input as { bias: number[]; head: { width: number } }
      return `must be ${bias.length} × ${2 * head.width} finite numbers as base64 of float32`
    },
  })

/** A calibration on somebody's own labelled rows, as `calibrate` makes it and a file holds it. */
export const ownCalibrationSchema = z.object(
  {
    /**
     * What kind of file it is.
     *
     * @example
     * ```ts
     * const { calibration } = await calibrate(engine, rows)
     * console.log(calibration.format)
     * ```
     */
    format: z.literal('tessera-calibration-1', 'must be "tessera-calibration-1", as calibrate writes it'),
    /**
     * The model whose probabilities it corrects; another one's would be made worse.
     *
     * @example
     * ```ts
     * const { calibration } = await calibrate(engine, rows)
     * console.log(calibration.model)
     * ```
     */
    model: z.object({
      /**
       * Name of the model, such as `decide-mini`.
       *
       * @example
       * ```ts
       * const { calibration } = await calibrate(engine, rows)
       * console.log(calibration.model.id)
       * ```
       */
      id: z.string(),
      /**
       * Of its bundle, such as `1.0.0`.
       *
       * @example
       * ```ts
       * const { calibration } = await calibrate(engine, rows)
       * console.log(calibration.model.version)
       * ```
       */
      version: z.string(),
      /**
       * What its weights are stored in, `float` or such as `int8 in blocks of 64`.
       *
       * @example
       * ```ts
       * const { calibration } = await calibrate(engine, rows)
       * console.log(calibration.model.weights)
       * ```
       */
      weights: z.string(),
      /**
       * How questions are rendered and answers read, such as `tree-1`.
       *
       * @example
       * ```ts
       * const { calibration } = await calibrate(engine, rows)
       * console.log(calibration.model.template)
       * ```
       */
      template: z.string(),
    }),
    /**
     * What was fitted, a question each.
     *
     * @example
     * ```ts
     * const { calibration } = await calibrate(engine, rows)
     * console.log(calibration.questions.length)
     * ```
     */
    questions: z.array(ownQuestionSchema),
  },
  'must be the calibration that calibrate made, an object; of its file, what JSON.parse makes of the text',
)

/** What `calibrate` fits and `createEngine({ calibration })` takes; a file holds it as JSON. */
export type OwnCalibration = z.infer<typeof ownCalibrationSchema>
export type OwnQuestion = z.infer<typeof ownQuestionSchema>

/** The same with its options in the order of its biases. */
export function inOrderOfBiases(own: OwnQuestion): OwnQuestion {
  const { question, options } = own
  // Programs that write their types may have written an empty list for what has no options.
  if (!options || question.type !== 'choice') return own
  const criteria = question.criteria as Readonly<Record<string, unknown>>
  return {
    ...own,
    question: { ...question, criteria: Object.fromEntries(options.map((name) => [name, criteria[name]])) },
  }
}

/** The template of models that have what heads read, and to whose answers the order of options is nothing. */
export const ORDERLESS_TEMPLATE = 'tree-1'

/** Tells a model from all others whose probabilities may differ. */
export function describeIdentity({ id, version, weights, template }: OwnCalibration['model']): string {
  return `${id} ${version} (weights ${weights}, template ${template})`
}

/** What makes two questions the same: everything that the model is shown of them. The sides of a noul always come in one order. */
export function questionKey({ type, instructions, criteria }: OwnQuestion['question'] | Question): string {
  const sides = criteria as { readonly true?: unknown; readonly false?: unknown } | null | undefined
  const shown = type === 'noul' ? [sides?.true ?? null, sides?.false ?? null] : (criteria ?? null)
  return JSON.stringify([type, instructions ?? null, shown])
}

/** What makes two questions the same for a model that gives the same answer in whatever order the options of a choice come. */
export function orderlessKey(question: OwnQuestion['question'] | Question): string {
  if (question.type !== 'choice') return questionKey(question)
  const options = Object.entries(question.criteria ?? {})
  return questionKey({ ...question, criteria: options.toSorted(([a], [b]) => (a < b ? -1 : 1)) })
}

/** Least probability that a logit is taken of: the answer's own may be rounded to 0. */
const LEAST = 1e-12

/** How logits change: all of it, or without what the head of a question adds. */
export interface Adjustment extends Pick<OwnQuestion, 'temperature' | 'bias'> {
  /** What a head adds [K]. @defaultValue nothing */
  readonly added?: ArrayLike<number> | undefined
}

/**
 * An answer with its probabilities corrected.
 *
 * @param probabilities of the options, before [K]
 * @param threshold the `min_confidence` in force for the question, if any
 */
export function recalibrate(
  question: Question,
  probabilities: readonly number[],
  adjustment: Adjustment,
  threshold: number | undefined,
): Answer {
  return answerQuestion(question, adjustLogits(probabilities, adjustment), threshold)
}

/** `log p / temperature + bias + added` [K]. */
export function adjustLogits(probabilities: readonly number[], { temperature, bias, added }: Adjustment): number[] {
  return probabilities.map(
    (p, index) => Math.log(Math.max(p, LEAST)) / temperature + (bias[index] ?? 0) + (added?.[index] ?? 0),
  )
}
