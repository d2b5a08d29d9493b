import { describe, expect, it } from 'vitest'
import { fixtureFolder } from '../../../test/helpers/language-model-fixture.ts'
import { withTexts } from '../../../test/helpers/with-texts.ts'
import type { Backend } from '../../backends/index.ts'
import type { ModelFiles } from '../../models/files/model-files.ts'
import { openFolder } from '../../models/files/model-folder.ts'
import type { Decider } from '../index.ts'
import { ask, context, openDeciders } from './test-support/open-deciders.ts'

interface TokenizerJson {
  readonly added_tokens: { id: number; readonly content: string }[]
  readonly model: { readonly vocab: Record<string, number> }
}

const open = openDeciders()

describe('Julia', () => {
  const choiceOf = (options: number, text = '') => {
    const criteria = Object.fromEntries(Array.from({ length: options }, (_, i) => [`o${i}`, `${text}${i}`]))
    return { type: 'choice', instructions: 'Which?', criteria }
  }

  it('answers 2 to 20 options, and refuses more by their number', async () => {
    const model = await open('julia')
    await expect(model.decide(ask('a', choiceOf(20)), context)).resolves.toHaveProperty('answers.q.choice')
    await expect(model.decide(ask('a', choiceOf(21)), context)).rejects.toMatchObject({
      path: 'questions.q',
      reason: 'its text has 21 options, and this model was made for 2 to 20',
    })
  })

  it('has the limits of inference-policy.json, and those of Julia 1 without it', async () => {
    const long = ask('a', choiceOf(10, 'some more words of an option '))
    await expect((await open('julia')).decide(long, context)).rejects.toThrow(/room for 144/)
    const without = withTexts(openFolder(fixtureFolder('julia')), { 'inference-policy.json': undefined })
    await expect((await open('julia', without)).decide(long, context)).resolves.toHaveProperty('answers.q')
  })

  it.each([
    ['config.json', '"encoder/config.json"', '"elsewhere/config.json"', 'encoder_config_file'],
    ['julia_config.json', '"format_version": 1', '"format_version": 2', 'format_version'],
  ])('is refused where %s says what is not known, by name', async (file, from, to, field) => {
    const changed = withTexts(openFolder(fixtureFolder('julia')), { [file]: (text) => text.replace(from, to) })
    await expect(open('julia', changed)).rejects.toThrow(field)
  })
})

describe.each(['laya', 'julia', 'opendecider-nano', 'nli-bert', 'nli-modernbert', 'bert-tree'])(
  '%s with a token that it has no embedding of is refused by its name',
  (name) => {
    const files = openFolder(fixtureFolder(name))
    const folder = ['laya', 'julia'].includes(name) ? files.within('tokenizer') : files

    async function openChanged(change: (file: TokenizerJson) => void): Promise<Decider> {
      const changed = withTexts(folder, {
        'tokenizer.json': (text) => {
          const file = JSON.parse(text) as TokenizerJson
          change(file)
          return JSON.stringify(file)
        },
      })
      return open(
        name,
        folder === files ? changed : { within: (of) => (of === 'tokenizer' ? changed : files.within(of)) },
      )
    }

    it('in the vocabulary', async () => {
      const opened = openChanged(({ model }) => (model.vocab['a'] = 70_000))
      await expect(opened).rejects.toMatchObject({ code: 'model_format', got: expect.stringContaining('70000') })
    })

    it('among the tokens that frame a text', async () => {
      const opened = openChanged(({ added_tokens: added }) => {
        for (const token of added) if (['[SEP]', '<eos>'].includes(token.content)) token.id = 70_000
      })
      const expected = expect.stringMatching(/(\[SEP\]|<eos>) below \d+, as many as the model has embeddings/)
      await expect(opened).rejects.toMatchObject({ code: 'model_format', expected, got: '70000' })
    })
  },
)

it('a Laya agent that reads more tokens than its encoder has positions is refused by max_len', async () => {
  const longer = (text: string) => text.replace('"max_len": 320', '"max_len": 600')
  const changed = withTexts(openFolder(fixtureFolder('laya')), { 'rl_agent_config.json': longer })
  await expect(open('laya', changed)).rejects.toThrow('max_len of at most 512')
})

it('a cross-encoder without segments for pairs is refused by type_vocab_size', async () => {
  const fewer = (text: string) => text.replace('"type_vocab_size": 2', '"type_vocab_size": 1')
  const changed = withTexts(openFolder(fixtureFolder('nli-bert')), { 'config.json': fewer })
  await expect(open('nli-bert', changed)).rejects.toThrow('type_vocab_size')
})

it.each(['laya', 'julia', 'opendecider-nano', 'nli-bert', 'nli-modernbert', 'bert-tree'])(
  '%s makes no session that a damaged tokenizer would leave behind',
  async (name) => {
    const files = openFolder(fixtureFolder(name))
    const damaged = (of: ModelFiles): ModelFiles => ({
      ...withTexts(of, { 'tokenizer.json': '{}' }),
      within: (folder) => damaged(of.within(folder)),
    })
    let sessions = 0
    const counting = (backend: Backend): Backend => ({
      ...backend,
      createSession: (graph) => (sessions++, backend.createSession(graph)),
    })
    await expect(open(name, damaged(files), counting)).rejects.toMatchObject({
      code: 'model_format',
      file: expect.stringContaining('tokenizer.json'),
    })
    expect(sessions).toBe(0)
  },
)
