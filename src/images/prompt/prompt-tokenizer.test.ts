import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { materializeBundle, ODD_PROMPT, type ImageBundleName } from '../../../test/helpers/image-bundle.ts'
import { readIntegers } from '../../../test/helpers/read-tensor.ts'
import { withTexts } from '../../../test/helpers/with-texts.ts'
import { openFolder } from '../../models/files/model-folder.ts'
import { loadPromptTokenizer } from './prompt-tokenizer.ts'

it.each<[ImageBundleName, boolean]>([
  ['z-image-turbo', false],
  ['klein-distilled', true],
])(
  'gives the ids of transformers for a prompt full of oddities, in the format of %s',
  async (name, emptyThinkBlock) => {
    await using bundle = await materializeBundle(name)
    const tokenizer = await loadPromptTokenizer(
      openFolder(join(bundle.folder, 'tokenizer')),
      {
        emptyThinkBlock,
        maxTokens: 512,
        pad: emptyThinkBlock,
      },
      288,
    )
    expect(tokenizer.encode(ODD_PROMPT)).toEqual(readIntegers(bundle.expected, 'ids.odd'))
  },
)

it('allows as many tokens as the format says, and not one more', async () => {
  await using bundle = await materializeBundle('klein-base')
  const load = (maxTokens: number) =>
    loadPromptTokenizer(
      openFolder(join(bundle.folder, 'tokenizer')),
      { emptyThinkBlock: true, maxTokens, pad: true },
      288,
    )
  const { length } = (await load(512)).encode('a red apple')
  expect((await load(length)).encode('a red apple').length).toBe(length)
  const shorter = await load(length - 1)
  expect(() => shorter.encode('a red apple')).toThrow(`at most ${length - 1} tokens with its template, got ${length}`)
})

it('refuses at once what has more characters than so many tokens can stand for', async () => {
  const folder = fileURLToPath(new URL('../../../models/image-mini/', import.meta.url))
  const { vocab_size } = JSON.parse(await readFile(`${folder}text_encoder/config.json`, 'utf8')) as {
    vocab_size: number
  }
  const format = { emptyThinkBlock: false, maxTokens: 32, pad: false }
  const tokenizer = await loadPromptTokenizer(openFolder(`${folder}tokenizer`), format, vocab_size)
  // Splitting it would take eight seconds, and tell how many tokens it has.
  expect(() => tokenizer.encode('\u{1f600}'.repeat(32_000))).toThrow(
    'at most 32 tokens with its template, got more than',
  )
})

describe('what files beside the tokenizer say', () => {
  const klein = fileURLToPath(new URL('../../../test/fixtures/images/klein-base/tokenizer', import.meta.url))
  const format = { emptyThinkBlock: true, maxTokens: 100, pad: true }
  const load = (changes: Record<string, (text: string) => string>, rows = 288) =>
    loadPromptTokenizer(withTexts(openFolder(klein), changes), format, rows)
  const set = (fields: object) => (text: string) => JSON.stringify({ ...JSON.parse(text), ...fields })

  it('a token that the post-processor puts in front is in front', async () => {
    const single = [{ SpecialToken: { id: '<|endoftext|>', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }]
    const processor = {
      type: 'TemplateProcessing',
      single,
      pair: single,
      special_tokens: { '<|endoftext|>': { id: '<|endoftext|>', ids: [262], tokens: ['<|endoftext|>'] } },
    }
    const plain = (await load({})).encode('a red apple')
    const changed = await load({ 'tokenizer.json': set({ post_processor: processor }) })
    expect(changed.encode('a red apple')).toEqual([262, ...plain])
  })

  it("the checkpoint's own chat template renders the prompt", async () => {
    const own = await load({
      'chat_template.jinja': () => '{% for m in messages %}<|im_start|>{{ m.content }}{% endfor %}',
    })
    expect(own.encode('a')).toEqual([263, 64])
  })

  it.each([
    ['tokenizer_config.json', { padding_side: 'left' }, 'padding_side'],
    ['tokenizer_config.json', { add_bos_token: true }, 'tokenizer_config'],
    ['tokenizer_config.json', { split_special_tokens: true }, 'tokenizer_config'],
    ['tokenizer_config.json', { added_tokens_decoder: { 270: { content: '<new>' } } }, 'the added token <new>'],
    ['tokenizer_config.json', { extra_special_tokens: ['<new>'] }, 'the added token <new>'],
    ['tokenizer_config.json', { extra_special_tokens: { subject: '<new>' } }, 'the added token <new>'],
    ['tokenizer_config.json', { additional_special_tokens: [{ content: '<new>' }] }, 'the added token <new>'],
    ['tokenizer.json', { padding: { direction: 'Left' } }, 'padding_side'],
    ['tokenizer.json', { model: { vocab: {}, dropout: 0.1 } }, 'tokenizer.json'],
  ])('%s with %j is refused', async (file, fields, expected) => {
    await expect(load({ [file]: set(fields) })).rejects.toMatchObject({
      code: 'model_format',
      expected: expect.stringContaining(expected),
    })
  })

  it('the side that is named for padding counts before that of the last text that was filled up', async () => {
    const filled = { 'tokenizer.json': set({ padding: { direction: 'Left' } }) }
    const named = await load({ ...filled, 'tokenizer_config.json': set({ padding_side: 'right' }) })
    expect(named.encode('a')).toEqual((await load({})).encode('a'))
  })

  it('tokens that both files have are no others', async () => {
    const both = set({
      added_tokens_decoder: { 263: { content: '<|im_start|>' } },
      additional_special_tokens: ['<|im_end|>'],
      extra_special_tokens: {},
    })
    expect((await load({ 'tokenizer_config.json': both })).encode('a')).toEqual((await load({})).encode('a'))
  })

  it('a token that is only found as a word, and ids without embeddings, are refused', async () => {
    const singleWord = (text: string) => text.replace('"single_word": false', '"single_word": true')
    await expect(load({ 'tokenizer.json': singleWord })).rejects.toMatchObject({ code: 'model_format' })
    await expect(load({}, 200)).rejects.toMatchObject({ expected: expect.stringContaining('ids below 200') })
  })
})
