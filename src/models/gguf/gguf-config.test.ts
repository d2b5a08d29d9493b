import { expect, it } from 'vitest'
import { gemma3 } from '../language-models/gemma3/gemma3.ts'
import type { LanguageModelFamily } from '../language-models/language-model-config.ts'
import { llama } from '../language-models/llama/llama.ts'
import { writeConfig } from './gguf-config.ts'

const SIZES = {
  block_count: 2,
  context_length: 64,
  embedding_length: 32,
  feed_forward_length: 64,
  'attention.head_count': 4,
  'attention.layer_norm_rms_epsilon': 1e-6,
}
const FACTORS = new Float32Array([1, 1, 1, 1])

const write = (family: LanguageModelFamily, keys: Record<string, string | number>, factors?: Float32Array) => {
  const named = Object.entries({ ...SIZES, ...keys }).map(
    ([key, value]) => [`${family.ggufArchitecture}.${key}`, value] as const,
  )
  return writeConfig({ path: 'x.gguf', metadata: new Map(named), tensors: new Map(), sources: [] }, family, factors)
}

it('a factor of positions alone is a linear one, as older files have it', () => {
  expect(write(llama, { 'rope.scaling.factor': 4 })).toMatchObject({ rope_scaling: { rope_type: 'linear', factor: 4 } })
  expect(write(llama, { 'rope.scaling.type': 'none', 'rope.scaling.factor': 4 })).not.toHaveProperty('rope_scaling')
})

it('layers of Gemma 3 with a window have a base of their own, which no other architecture has', () => {
  const keys = { 'attention.sliding_window': 16, 'rope.freq_base_swa': 12_000 }
  expect(write(gemma3, keys)).toMatchObject({ rope_local_base_freq: 12_000 })
  expect(() => write(llama, { 'rope.freq_base_swa': 12_000 })).toThrow('llama.rope.freq_base_swa')
})

it('factors of frequencies beside another scaling are refused', () => {
  const scaled = { 'rope.scaling.type': 'linear', 'rope.scaling.factor': 4 }
  expect(() => write(llama, scaled, FACTORS)).toThrow('rope_freqs.weight')
  expect(() => write(gemma3, { 'attention.sliding_window': 16 }, FACTORS)).toThrow('rope_freqs.weight')
})

it('a factor of cosines and sines is one of yarn, or none', () => {
  const keys = { 'rope.scaling.attn_factor': 1.3, 'rope.scaling.factor': 4 }
  const yarn = write(llama, { ...keys, 'rope.scaling.type': 'yarn' })
  expect(yarn).toMatchObject({ rope_scaling: { attention_factor: expect.closeTo(1.3 * (1 + 0.1 * Math.log(4))) } })
  for (const type of ['none', 'linear']) {
    expect(() => write(llama, { ...keys, 'rope.scaling.type': type })).toThrow(
      'llama.rope.scaling.attn_factor, got 1.3',
    )
  }
  expect(write(llama, { 'rope.scaling.attn_factor': 1 })).not.toHaveProperty('rope_scaling')
})
