import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cpuBackend } from '../../../test/helpers/cpu-backend.ts'
import { materializeBundle, PROMPTS, type ImageBundle } from '../../../test/helpers/image-bundle.ts'
import { readFloats } from '../../../test/helpers/read-tensor.ts'
import { largestRelativeError } from '../../../test/helpers/relative-error.ts'
import { ATTENTION_FORMS, withAttention } from '../../../test/helpers/with-attention.ts'
import { openFolder } from '../../models/files/model-folder.ts'
import { openTextEncoder, type TextEncoder } from './text-encoder.ts'

const backend = await cpuBackend()

const context = { turn: async () => {} }
const Z_IMAGE = { emptyThinkBlock: false, maxTokens: 512, pad: false, hiddenStates: (layers: number) => [layers - 1] }
const KLEIN = { emptyThinkBlock: true, pad: true }

/** As the bundles' own files say; see generate-image-fixtures.py. */
const ENCODERS = [
  { name: 'z-image-turbo', options: { ...Z_IMAGE, width: 48 } },
  { name: 'z-image-base', options: { ...Z_IMAGE, width: 32 } },
  { name: 'klein-distilled', options: { ...KLEIN, maxTokens: 512, hiddenStates: () => [1, 2, 4], width: 96 } },
  // The last of three layers is read behind the final norm.
  { name: 'klein-base', options: { ...KLEIN, maxTokens: 320, hiddenStates: () => [1, 3], width: 64 } },
] as const

const CASES = ENCODERS.flatMap((row) => ATTENTION_FORMS.map((attention) => ({ ...row, attention })))

describe.each(CASES)('the text encoder of $name with $attention attention', ({ name, options, attention }) => {
  let bundle: ImageBundle
  let encoder: TextEncoder
  beforeAll(async () => {
    bundle = await materializeBundle(name)
    encoder = await openTextEncoder(withAttention(backend, attention), openFolder(bundle.folder), options)
  })
  afterAll(() => bundle.remove())

  it.each(['short', 'long'] as const)('reads the %s prompt as the reference does, padding included', async (prompt) => {
    const features = await encoder.encode(PROMPTS[prompt], context)
    expect(features.dims).toEqual(bundle.expected.get(`text.${prompt}`)!.shape)
    expect(largestRelativeError(features, readFloats(bundle.expected, `text.${prompt}`))).toBeLessThan(1e-5)
  })

  it('refuses a prompt that the reference would cut', async () => {
    await expect(encoder.encode('word '.repeat(300), context)).rejects.toMatchObject({
      code: 'invalid_request',
      path: 'prompt',
      message: expect.stringContaining(`at most ${options.maxTokens} tokens`),
    })
    const negative = { path: 'negativePrompt', message: expect.stringContaining('negativePrompt: the model reads') }
    await expect(encoder.encode('word '.repeat(300), context, 'negativePrompt')).rejects.toMatchObject(negative)
    await expect(encoder.encode('x'.repeat(1e6), context, 'negativePrompt')).rejects.toMatchObject(negative)
  })
})

it('refuses an encoder whose features the transformer does not take', async () => {
  await using bundle = await materializeBundle('z-image-base')
  const open = (options: Partial<(typeof ENCODERS)[0]['options']> | object) =>
    openTextEncoder(backend, openFolder(bundle.folder), { ...Z_IMAGE, width: 32, ...options })
  await expect(open({ width: 48 })).rejects.toMatchObject({ code: 'model_format', got: '32' })
  await expect(open({ hiddenStates: () => [7] })).rejects.toMatchObject({ code: 'model_format', got: '2' })
})
