import { describe, expect, it } from 'vitest'
import { fixtureFolder } from '../../../test/helpers/language-model-fixture.ts'
import { withTexts } from '../../../test/helpers/with-texts.ts'
import { openFolder } from '../../models/files/model-folder.ts'
import { ask, context, openDeciders } from './test-support/open-deciders.ts'

const open = openDeciders()

const askOf = (question: unknown) => ask('a card', question)

/** What a model reads when its files say something else, which `change` makes of their JSON. */
async function readWith(name: string, file: string, change: (json: Record<string, unknown>) => object) {
  const changed = { [file]: (text: string) => JSON.stringify(change(JSON.parse(text))) }
  const decider = await open(name, withTexts(openFolder(fixtureFolder(name)), changed))
  const request = askOf({ type: 'noul', instructions: 'It is b.' })
  const [[logits] = []] = await decider.logits(request, context)
  const { usage } = await decider.decide(request, context)
  return { logits: [...logits!], tokens: usage.input_tokens }
}

describe('how a pair of texts is framed', () => {
  const special = (id: string) => ({ SpecialToken: { id, type_id: 0 } })
  const text = (id: string) => ({ Sequence: { id, type_id: 0 } })
  const [start, end] = [special('[CLS]'), special('[SEP]')]
  const pair = (...pieces: object[]) => ({ type: 'TemplateProcessing', single: [], pair: pieces, special_tokens: {} })
  const within = (post_processor: object | null) =>
    readWith('nli-modernbert', 'tokenizer.json', (json) => ({ ...json, post_processor }))

  it('is what the post_processor says, as in transformers, and as BERT does where that says nothing', async () => {
    const plain = await within(null)
    expect(await within(pair(text('A'), text('B')))).toEqual(plain)
    expect(await within(pair(start, text('A'), end, text('B'), end))).toEqual(plain)
    const roberta = await within({ type: 'RobertaProcessing', cls: ['[CLS]', 1], sep: ['[SEP]', 2] })
    expect(roberta.tokens).toBe(plain.tokens + 1)
    expect(roberta.logits).not.toEqual(plain.logits)
    const template = pair(start, text('A'), end, end, text('B'), end)
    expect(await within({ type: 'Sequence', processors: [{ type: 'ByteLevel' }, template] })).toEqual(roberta)
  })

  it.each([
    [pair(start, text('B'), end, text('A'), end), 'B, A'],
    [pair(text('A'), end, text('B'), end), 'A, B'],
  ])('is refused where it cannot be read so: %#', async (processor, got) => {
    await expect(within(processor)).rejects.toThrow(`/tokenizer.json: expected a post_processor whose pair is a token`)
    await expect(within(processor)).rejects.toThrow(`got ${got}`)
  })

  it('in one segment where tokenizer_config.json names no token_type_ids', async () => {
    const read = (model_input_names: string[]) =>
      readWith('nli-bert', 'tokenizer_config.json', (json) => ({ ...json, model_input_names }))
    const both = await read(['input_ids', 'token_type_ids', 'attention_mask'])
    const one = await read(['input_ids', 'attention_mask'])
    expect(one.tokens).toBe(both.tokens)
    expect(one.logits).not.toEqual(both.logits)
  })
})

describe.each(['nli-bert', 'nli-modernbert'])('%s', (name) => {
  it.each(['billing $$', '$& tech', "$` or $' of $1"])('reads %s in a template as it is written', async (option) => {
    const model = await open(name)
    const choice = { type: 'choice', instructions: 'It is {}, {}.', criteria: { a: option, b: 'tech' } }
    const statement = { type: 'noul', instructions: `It is ${option}, ${option}.` }
    const [[read] = []] = await model.logits(askOf(choice), context)
    const [[wanted] = []] = await model.logits(askOf(statement), context)
    expect(read![0]).toBeCloseTo(wanted![0]!, 4)
  })

  it('refuses a template of many places and a long option before it joins them', async () => {
    const model = await open(name)
    const [instructions, long] = ['{}'.repeat(2000), 'a '.repeat(100_000)]
    const questions = [
      { type: 'choice', instructions, criteria: { a: long, b: null } },
      { type: 'noul', instructions, criteria: { false: long } },
    ]
    for (const question of questions) {
      await expect(model.decide(askOf(question), context)).rejects.toMatchObject({
        code: 'invalid_request',
        path: 'questions.q',
        reason: 'its text has 2000 places ({}) for an option of 200000 characters, and may repeat 200000 of them',
      })
    }
  })
})
