import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeTinyBundle } from '../../../test/helpers/tiny-bundle.ts'
import { withTexts } from '../../../test/helpers/with-texts.ts'
import type { ModelFiles } from '../../models/files/model-files.ts'
import { openFolder } from '../../models/files/model-folder.ts'
import { identifyDecider } from '../identify-decider.ts'
import { readManifest } from '../manifest.ts'
import { loadTokenizer } from '../tokenizer/tokenizer.ts'
import { readAsking } from './asking.ts'
import { readBegin } from './read-begin.ts'

const BEGIN = '<|endoftext|>'
const SAYS = { add_bos_token: true, bos_token: BEGIN }
const TEMPLATE = "{{ bos_token }}{% for m in messages %}{{ '<|im_start|>' + m.content + '<|im_end|>' }}{% endfor %}"

/** Begins texts with a token, as base models of Llama 3 and Gemma have it. */
const PROCESSOR = {
  type: 'TemplateProcessing',
  single: [{ SpecialToken: { id: BEGIN, type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
}

let folder: string
beforeAll(async () => {
  folder = await writeTinyBundle({ manifest: {} })
})
afterAll(() => rm(folder, { recursive: true }))

/** The tiny model without a chat template, with other tokenizer files. */
function having(config: object, processor: unknown = null): ModelFiles {
  return withTexts(openFolder(folder), {
    'chat_template.jinja': undefined,
    'tokenizer_config.json': JSON.stringify(config),
    'tokenizer.json': (text) => {
      const file = JSON.parse(text)
      const added_tokens = [...file.added_tokens, { id: 1000, content: BEGIN, special: true }]
      return JSON.stringify({ ...file, added_tokens, post_processor: processor })
    },
  })
}

async function openingOf(files: ModelFiles) {
  const [tokenizer, manifest] = [await loadTokenizer(files), await readManifest(files, 1)]
  const { template } = await readAsking({ files, symbols: {} } as never, manifest, tokenizer)
  return { opening: template.opening, begin: tokenizer.structural(BEGIN) }
}

describe('a model without a chat template reads the token first that it was trained to read first', () => {
  it.each([
    ['add_bos_token', SAYS, null],
    ['a bos_token with more about it', { ...SAYS, bos_token: { content: BEGIN, lstrip: false } }, null],
    ['the template of its tokenizer', {}, PROCESSOR],
    ['one of several steps', {}, { type: 'Sequence', processors: [{ type: 'ByteLevel' }, PROCESSOR] }],
  ])('by %s', async (_, config, processor) => {
    const plain = await openingOf(having({}))
    const { opening, begin } = await openingOf(having(config, processor))
    expect(opening).toEqual([begin, ...plain.opening])
  })

  it.each([
    ['add_bos_token is false', { ...SAYS, add_bos_token: false }, PROCESSOR],
    ['texts only end in one', {}, { type: 'TemplateProcessing', single: PROCESSOR.single.toReversed() }],
    ['nothing is said', { bos_token: BEGIN }, { type: 'ByteLevel' }],
  ])('and none where %s', async (_, config, processor) => {
    expect(await readBegin(having(config, processor))).toBeUndefined()
  })

  it('once, where a chat template writes it', async () => {
    const { opening, begin } = await openingOf(having({ ...SAYS, chat_template: TEMPLATE }, PROCESSOR))
    expect(opening.filter((id) => id === begin)).toHaveLength(1)
  })

  it.each([
    [{ add_bos_token: true }, 'tokenizer_config.json', 'a bos_token beside add_bos_token'],
    [{ ...SAYS, bos_token: '<s>' }, 'tokenizer.json', '<s>'],
  ])('and refuses a token that is not there: %j', async (config, file, expected) => {
    await expect(openingOf(having(config))).rejects.toMatchObject({
      code: 'model_format',
      file: expect.stringContaining(file),
      expected: expect.stringContaining(expected),
    })
  })

  it('which is another model to a calibration', async () => {
    expect((await identifyDecider(having(SAYS))).template).toBe(`chat-1 behind ${BEGIN}`)
    expect((await identifyDecider(having(SAYS), { bothOrders: true })).template).toBe(
      `chat-1 behind ${BEGIN} in both orders`,
    )
    expect((await identifyDecider(having({ ...SAYS, chat_template: TEMPLATE }))).template).toBe('chat-1')
    expect((await identifyDecider(having({ add_bos_token: false }))).template).toBe('chat-1')
  })

  it('which is told of without reading a large vocabulary, as lists of models are asked for often', async () => {
    const files = having({}, PROCESSOR)
    const read: string[] = []
    const watched: ModelFiles = {
      ...files,
      readText: (name) => {
        read.push(name)
        return files.readText(name)
      },
    }
    expect((await identifyDecider(watched)).template).toBe('chat-1 behind what tokenizer.json puts first')
    expect(read).not.toContain('tokenizer.json')
  })
})
