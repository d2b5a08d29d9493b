import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { materializeBundle, ODD_PROMPT, type ImageBundleName } from '../../../test/helpers/image-bundle.ts'
import { readIntegers } from '../../../test/helpers/read-tensor.ts'
import { openFolder } from '../../models/model-folder.ts'
import { loadPromptTokenizer } from './prompt-tokenizer.ts'

it.each<[ImageBundleName, boolean]>([
  ['z-image-turbo', false],
  ['klein-distilled', true],
])(
  'gives the ids of transformers for a prompt full of oddities, in the format of %s',
  async (name, emptyThinkBlock) => {
    const bundle = await materializeBundle(name)
    const tokenizer = await loadPromptTokenizer(openFolder(join(bundle.folder, 'tokenizer')), {
      emptyThinkBlock,
      maxTokens: 512,
    })
    expect(tokenizer.encode(ODD_PROMPT)).toEqual(readIntegers(bundle.expected, 'ids.odd'))
    await bundle.remove()
  },
)

it('allows as many tokens as the format says, and not one more', async () => {
  const bundle = await materializeBundle('klein-base')
  const load = (maxTokens: number) =>
    loadPromptTokenizer(openFolder(join(bundle.folder, 'tokenizer')), { emptyThinkBlock: true, maxTokens })
  const { length } = (await load(512)).encode('a red apple')
  expect((await load(length)).encode('a red apple').length).toBe(length)
  const shorter = await load(length - 1)
  expect(() => shorter.encode('a red apple')).toThrow(`at most ${length - 1} tokens with its template, got ${length}`)
  await bundle.remove()
})

it('refuses at once what has more characters than so many tokens can stand for', async () => {
  const folder = fileURLToPath(new URL('../../../models/image-mini/tokenizer', import.meta.url))
  const tokenizer = await loadPromptTokenizer(openFolder(folder), { emptyThinkBlock: false, maxTokens: 32 })
  // Splitting it would take eight seconds, and tell how many tokens it has.
  expect(() => tokenizer.encode('\u{1f600}'.repeat(32_000))).toThrow(
    'at most 32 tokens with its template, got more than',
  )
})
