import { expect, it } from 'vitest'
import type { LanguageModelConfig } from '../../models/language-models/language-model-config.ts'
import { describeHiddenRun } from './hidden-states.ts'

/** Of Qwen3-4B, as FLUX.2 klein reads it. */
const SHAPE = {
  hidden_size: 2560,
  intermediate_size: 9728,
  num_attention_heads: 32,
  num_key_value_heads: 8,
  head_dim: 128,
}
const [TOKENS, STATES] = [512, 3]
/** bench/NOTES.md, "Checkpoints in full size": the process grew by it while klein's text encoder ran. */
const MEASURED = 0.23e9

it('foresees what a text encoder of the published size holds of a run to 15 percent', () => {
  const { input, bytes } = describeHiddenRun(SHAPE as LanguageModelConfig, STATES)
  expect(input).toBe('input_ids')
  expect(Math.abs((TOKENS * bytes) / MEASURED - 1)).toBeLessThan(0.15)
})
