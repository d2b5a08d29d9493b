import * as z from 'zod'
import { layaHead } from '../../graph/index.ts'
import { readConfig, readOptionalConfig } from '../../models/configs/read-config.ts'
import type { Question } from '../../schemas/index.ts'
import { createDecider, type Decider } from '../decider.ts'
import type { DecisionBundle } from '../decision-family.ts'
import { optionCount } from '../option-count.ts'
import { spacedText } from '../spaced-json.ts'
import type { SpecialNames } from '../tokenizer/special-names.ts'
import type { Tokenizer } from '../tokenizer/tokenizer.ts'
import type { EncoderFormat } from './encoder-format.ts'
import { openModernBert } from './encoder-models.ts'
import { createEncoderQuestionReader } from './encoder-question-reader.ts'
import { readMarkerCheckpoint } from './marker-checkpoint.ts'
import { isGiven, markerFormat } from './marker-format.ts'

/** The files of a release are where its `config.json` says; only the published places are read. */
const releaseSchema = z.looseObject({
  julia_config_file: z.literal('julia_config.json').optional(),
  encoder_config_file: z.literal('encoder/config.json').optional(),
  weights_file: z.literal('model.safetensors').optional(),
  tokenizer_directory: z.literal('tokenizer').optional(),
})
const juliaSchema = z.looseObject({ format_version: z.literal(1), head_layers: z.number().int().min(0) })
const policySchema = z.looseObject({
  max_length: z.number().int().positive().default(8192),
  head_length: z.number().int().positive().default(512),
})

type Policy = z.infer<typeof policySchema>

/** Options that it was trained with. */
const [FEWEST, MOST] = [2, 20]

/**
 * Opens Julia 1: `julia_config.json`, `inference-policy.json`, `model.safetensors`, `encoder/config.json` of mmBERT and the tokenizer in `tokenizer/`.
 * It has no temperatures.
 *
 * @throws ModelFormatError naming the file that is missing or wrong
 */
export async function openJulia({ backend, files, unread }: DecisionBundle): Promise<Decider> {
  await readOptionalConfig(files, 'config.json', releaseSchema, 'the files of a Julia release')
  const { head_layers: layers } = await readConfig(files, 'julia_config.json', juliaSchema, 'a Julia checkpoint')
  const named = await readOptionalConfig(
    files,
    'inference-policy.json',
    policySchema,
    'the limits of a Julia checkpoint',
  )
  const { config, weights, tokenizer, names } = await readMarkerCheckpoint(files)
  const model = await openModernBert(backend, { config, weights, unread }, layaHead(layers), 'encoder.')
  const policy = named ?? policySchema.parse({})
  const limits = { ...policy, max_length: Math.min(policy.max_length, config.max_position_embeddings) }
  const reader = createEncoderQuestionReader(model, juliaFormat(tokenizer, limits, names))
  return createDecider(reader, { name: files.name, tokenizer })
}

export function juliaFormat(
  tokenizer: Tokenizer,
  { max_length: positions, head_length: most }: Policy,
  names: SpecialNames,
): EncoderFormat {
  const format = markerFormat(tokenizer, { names, positions, most, leastInstructions: 0, optionTexts })
  return {
    ...format,
    frame(question, refuse) {
      const options = optionCount(question)
      if (options > MOST) refuse(`has ${options} options, and this model was made for ${FEWEST} to ${MOST}`)
      return format.frame(question, refuse)
    },
  }
}

/** Meanings alone; the name of an option, or of a side of a noul, where it has none. */
function optionTexts(question: Question): string[] {
  if (question.type === 'score') return question.criteria.map(spacedText)
  const { criteria } = question
  const sides = question.type === 'noul' ? { false: question.criteria?.false, true: question.criteria?.true } : criteria
  return Object.entries(sides ?? {}).map(([key, meaning]) => (isGiven(meaning) ? spacedText(meaning) : key))
}
