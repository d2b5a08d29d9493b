import * as z from 'zod'
import { ModelFormatError } from '../../../errors/index.ts'
import {
  type LanguageModelFamily,
  groupedFields,
  plainLayers,
  readPlainFields,
  requireGroups,
} from '../language-model-config.ts'
import { readRope } from '../rope-config.ts'

const schema = z.object({
  ...groupedFields,
  rope_theta: z.number().positive().default(2e6),
  tie_word_embeddings: z.boolean().default(true),
  use_sliding_window: z.literal(false).default(false),
  /** 0 for each layer whose queries and keys are not rotated. */
  no_rope_layers: z.array(z.union([z.literal(0), z.literal(1)])).nullish(),
  /** Where there is no such list, each layer whose number this divides is one. */
  no_rope_layer_interval: z.number().int().positive().default(4),
})

/** SmolLM3: Llama with layers that see no positions (NoPE). */
export const smollm3: LanguageModelFamily = {
  architectures: ['SmolLM3ForCausalLM'],
  bare: ['SmolLM3Model'],
  modelTypes: ['smollm3'],
  ggufArchitecture: 'smollm3',
  readConfig(json, file) {
    const fields = readPlainFields(schema, json, file, 'SmolLM3')
    const rope = readRope(fields, file)
    const layers = rotatedLayers(fields, file).map((rotated) => (rotated ? { rope } : {}))
    return requireGroups({ ...fields, ...plainLayers(fields, rope), layers }, file)
  },
}

function rotatedLayers(
  {
    num_hidden_layers: count,
    no_rope_layers: listed,
    no_rope_layer_interval: interval,
  }: Pick<z.output<typeof schema>, 'num_hidden_layers' | 'no_rope_layers' | 'no_rope_layer_interval'>,
  file: string,
): boolean[] {
  if (listed && listed.length !== count) {
    throw new ModelFormatError(file, `no_rope_layers of ${count} layers (num_hidden_layers)`, String(listed.length))
  }
  return Array.from({ length: count }, (_, layer) => (listed ? listed[layer] === 1 : (layer + 1) % interval !== 0))
}
