import * as z from 'zod'
import { ModelFormatError } from '../../errors/index.ts'
import { layaHead } from '../../graph/index.ts'
import { readConfig } from '../../models/configs/read-config.ts'
import type { Question } from '../../schemas/index.ts'
import type { Calibration } from '../calibrate.ts'
import { createDecider, type Decider } from '../decider.ts'
import type { DecisionBundle } from '../decision-family.ts'
import { spacedText } from '../spaced-json.ts'
import { BERT_NAMES } from '../tokenizer/special-names.ts'
import type { Tokenizer } from '../tokenizer/tokenizer.ts'
import type { EncoderFormat } from './encoder-format.ts'
import { openModernBert } from './encoder-models.ts'
import { createEncoderQuestionReader } from './encoder-question-reader.ts'
import { readMarkerCheckpoint } from './marker-checkpoint.ts'
import { isGiven, markerFormat, TYPE_IDS } from './marker-format.ts'

const agentSchema = z.looseObject({
  max_len: z.number().int().positive().default(512),
  head_max_len: z.number().int().positive().default(192),
  head_layers: z.number().int().min(0).default(2),
  option_layout: z.literal('sequential').default('sequential'),
  temperature: z.tuple([z.number(), z.number(), z.number()]).default([1, 1, 1]),
  temperature_by_options: z.record(z.string(), z.number()).default({}),
})

type Agent = z.infer<typeof agentSchema>

/**
 * Opens a Laya checkpoint: `rl_agent_config.json`, `model.safetensors`, `encoder/config.json` of ModernBERT, and `tokenizer/tokenizer.json`.
 *
 * @throws ModelFormatError naming the file that is missing or wrong
 */
export async function openLaya({ backend, files, unread }: DecisionBundle): Promise<Decider> {
  const agent = await readConfig(files, 'rl_agent_config.json', agentSchema, 'the configuration of a Laya agent')
  const { config, weights, tokenizer, names } = await readMarkerCheckpoint(files)
  if (agent.max_len > config.max_position_embeddings) {
    const expected = `max_len of at most ${config.max_position_embeddings}, the positions of the encoder`
    throw new ModelFormatError(`${files.location}/rl_agent_config.json`, expected, String(agent.max_len))
  }
  const model = await openModernBert(backend, { config, weights, unread }, layaHead(agent.head_layers), 'encoder.')
  const reader = createEncoderQuestionReader(model, layaFormat(tokenizer, agent, names))
  return createDecider(reader, { name: files.name, tokenizer, calibration: layaCalibration(agent) })
}

export function layaFormat(
  tokenizer: Tokenizer,
  { max_len: positions, head_max_len: most }: Agent,
  names = BERT_NAMES,
): EncoderFormat {
  return markerFormat(tokenizer, { names, positions, most, leastInstructions: 8, optionTexts })
}

/** Of a noul false stands first. */
function optionTexts(question: Question): string[] {
  if (question.type === 'choice') {
    const texts = Object.entries(question.criteria)
    return texts.map(([key, meaning]) => (isGiven(meaning) ? `${key}: ${spacedText(meaning)}` : key))
  }
  if (question.type === 'score') return question.criteria.map((level, index) => `level ${index}: ${spacedText(level)}`)
  const { true: yes, false: no } = question.criteria ?? {}
  return [
    `false: ${isGiven(no) ? spacedText(no) : 'no, the statement does not hold'}`,
    `true: ${isGiven(yes) ? spacedText(yes) : 'yes, the statement holds'}`,
  ]
}

/** The temperature of a kind and number of options, else of the kind, between a half and five as Laya applies it. */
function layaCalibration({ temperature, temperature_by_options: byOptions }: Agent): Calibration {
  const clamped = (value: number) => Math.min(5, Math.max(0.5, value))
  const of = (type: keyof typeof TYPE_IDS, bucket: string) =>
    clamped(byOptions[`${type}:${bucket}`] ?? temperature[TYPE_IDS[type]])
  const all = (type: 'choice' | 'score') =>
    ({ '2': of(type, '2'), '3-5': of(type, '3-5'), '6-10': of(type, '6-10'), '11+': of(type, '11+') }) as const
  const temperatures = { noul: of('noul', '2'), choice: all('choice'), score: all('score') }
  return { temperature: temperatures, noul_bias: 0, samples: 0, ece: 0 }
}
