import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { furthest } from '../../../test/helpers/furthest.ts'
import { fixtureFolder } from '../../../test/helpers/language-model-fixture.ts'
import { ATTENTION_FORMS, withAttention } from '../../../test/helpers/with-attention.ts'
import { withTexts } from '../../../test/helpers/with-texts.ts'
import { describeCheckpoint } from '../../models/describe-checkpoint.ts'
import { openFolder } from '../../models/files/model-folder.ts'
import type { DecisionRequest, Question } from '../../schemas/index.ts'
import { toProbabilities } from '../calibrate.ts'
import { identifyDecider } from '../identify-decider.ts'
import { loadTokenizer, type Tokenizer } from '../tokenizer/tokenizer.ts'
import type { EncoderFormat } from './encoder-format.ts'
import { juliaFormat } from './julia.ts'
import { layaFormat } from './laya.ts'
import { openDeciderFormat } from './opendecider-nano.ts'
import { ask, context, openDeciders } from './test-support/open-deciders.ts'

/** What generate-zero-shot-fixtures.py writes. */
type ZeroShot = Readonly<
  Record<'text' | 'template', string> & Record<'scores' | 'alone', number[]> & { labels: string[] }
>

/** What generate-decision-fixtures.py writes. */
interface Expected {
  readonly state: DecisionRequest['state']
  readonly question: Question
  readonly ids: readonly number[]
  readonly logits: readonly number[]
}

const open = openDeciders()

async function readJson<T>(name: string, file = 'requests.json'): Promise<T> {
  return JSON.parse(await readFile(join(fixtureFolder(name), file), 'utf8'))
}

function wholeText({ state, frame }: EncoderFormat, expected: Expected): number[] {
  const { lead, ids } = state(expected.state)
  const { before, after } = frame(expected.question, neverRefuse).prompts[0]!
  return [...before, ...lead, ...ids, ...after]
}

function neverRefuse(reason: string): never {
  throw new Error(reason)
}

const AGENT = {
  max_len: 320,
  head_max_len: 160,
  head_layers: 1,
  option_layout: 'sequential',
  temperature: [1, 1, 1],
  temperature_by_options: {},
} as const
const MODELS = [
  {
    name: 'opendecider-nano',
    tokenizer: '',
    format: (tokenizer: Tokenizer) => openDeciderFormat(tokenizer, 300),
    falseFirst: false,
  },
  {
    name: 'laya',
    tokenizer: '/tokenizer',
    format: (tokenizer: Tokenizer) => layaFormat(tokenizer, { ...AGENT, temperature: [1, 1, 1] }),
    falseFirst: true,
  },
  {
    name: 'julia',
    tokenizer: '/tokenizer',
    format: (tokenizer: Tokenizer) =>
      juliaFormat(tokenizer, { max_length: 320, head_length: 160 }, { start: '<bos>', end: '<eos>', marker: '<mask>' }),
    falseFirst: true,
  },
]

describe.each(MODELS)('$name agrees with its authors’ code', ({ name, tokenizer, format, falseFirst }) => {
  it('in the tokens of a request', async () => {
    const files = openFolder(fixtureFolder(`${name}${tokenizer}`))
    const made = format(await loadTokenizer(files, { ordinary: true }))
    for (const expected of await readJson<Expected[]>(name)) expect(wholeText(made, expected)).toEqual(expected.ids)
  })

  it.each(ATTENTION_FORMS)('in the logits to 1e-4, with %s attention', async (attention) => {
    const model = await open(name, {}, (backend) => withAttention(backend, attention))
    for (const { state, question, logits } of await readJson<Expected[]>(name)) {
      const [read] = await model.logits(ask(state, question), context)
      const wanted = falseFirst && question.type === 'noul' ? logits.toReversed() : logits
      expect(furthest(read?.[0], wanted)).toBeLessThan(1e-4)
      expect(model.countTokens(ask(state, question)).input_tokens).toBeGreaterThan(10)
    }
  })

  it('reads a state that is longer than its window in several', async () => {
    const model = await open(name)
    const [short] = await model.logits(ask('a card', { type: 'noul', instructions: 'Is it?' }), context)
    const [long] = await model.logits(ask('a card '.repeat(300), { type: 'noul', instructions: 'Is it?' }), context)
    expect(short!.length).toBe(1)
    expect(long!.length).toBeGreaterThan(2)
  })

  it('refuses a question that leaves no room for a state, naming it', async () => {
    const model = await open(name)
    const question = { type: 'noul', instructions: 'Is it? '.repeat(120) }
    const refused = {
      code: 'invalid_request',
      loc: ['questions', 'q'],
      reason: expect.stringMatching(/\d+ tokens.*room for \d+/),
    }
    await expect(model.decide(ask('a', question), context)).rejects.toMatchObject(refused)
  })
})

describe('a Laya agent', () => {
  it('applies the temperatures that its own code applies', async () => {
    const model = await open('laya')
    const applied = await readJson<Record<string, number>>('laya', 'temperatures.json')
    for (const { state, question, logits } of await readJson<Expected[]>('laya')) {
      const { answers } = await model.decide(ask(state, question), context)
      const bucket = logits.length === 2 ? '2' : '3-5'
      const scaled = toProbabilities(logits.map((logit) => logit / applied[`${question.type}:${bucket}`]!))
      const answer = answers['q']!
      const got = answer.type === 'noul' ? [1 - answer.noul, answer.noul] : Object.values(answer.probabilities)
      expect(furthest(got, scaled)).toBeLessThan(1e-4)
    }
  })

  it('refuses options that its own code would cut, with their length and the limit', async () => {
    const model = await open('laya')
    const long = { type: 'choice', criteria: { a: 'many words '.repeat(30), b: null } }
    await expect(model.decide(ask('a', long), context)).rejects.toThrow(
      /an option of \d+ tokens, and this model reads 48/,
    )
    const many = {
      type: 'choice',
      criteria: Object.fromEntries(Array.from({ length: 26 }, (_, i) => [`a long option ${i}`, null])),
    }
    await expect(model.decide(ask('a', many), context)).rejects.toThrow(
      /options of \d+ tokens in all, and this model has room for 144/,
    )
  })

  it('is refused with an order of options that is not computed, by name', async () => {
    const parallel = (text: string) => text.replace('"encoder": "tiny"', '"option_layout": "parallel"')
    const changed = withTexts(openFolder(fixtureFolder('laya')), { 'rl_agent_config.json': parallel })
    await expect(open('laya', changed)).rejects.toThrow('option_layout')
  })
})

describe.each(['nli-bert', 'nli-modernbert'])('%s, a cross-encoder for inference,', (name) => {
  interface Pair {
    readonly premise: string
    readonly hypothesis: string
    readonly ids: readonly number[]
    readonly logits: readonly number[]
  }
  const [holds, fails] = name === 'nli-bert' ? [0, 1] : [2, 0]

  it('gives the logits of transformers to a statement', async () => {
    const model = await open(name)
    for (const { premise, hypothesis, ids, logits } of await readJson<Pair[]>(name)) {
      const request = ask(premise, { type: 'noul', instructions: hypothesis })
      const [read] = await model.logits(request, context)
      expect(furthest(read?.[0], [logits[holds]!, logits[fails]!])).toBeLessThan(1e-4)
      expect(model.countTokens(request).input_tokens).toBe(ids.length)
    }
  })

  it('asks for each option in the words of a template, and for each side of a noul that has both', async () => {
    const model = await open(name)
    const { premise, logits } = (await readJson<Pair[]>(name))[2]!
    const choice = { type: 'choice', criteria: { billing: null, other: 'tech' } }
    const template = { ...choice, instructions: 'This example is {}.' }
    const noul = { type: 'noul', instructions: 'This example is {}.', criteria: { true: 'billing', false: 'tech' } }
    for (const question of [choice, template, noul]) {
      const [[read] = []] = await model.logits(ask(premise, question), context)
      expect(read![0]).toBeCloseTo(logits[holds]!, 4)
      expect(read![1]).not.toBeCloseTo(logits[holds]!, 2)
    }
    const [[given] = []] = await model.logits(ask(premise, { ...noul, criteria: { false: 'billing' } }), context)
    expect(furthest(given, [logits[fails]!, logits[holds]!])).toBeLessThan(1e-4)
  })

  it('gives the probabilities of the zero-shot pipeline of transformers', async () => {
    const model = await open(name)
    for (const { text, template, labels, scores, alone } of await readJson<ZeroShot[]>(name, 'zero-shot.json')) {
      const criteria = Object.fromEntries(labels.map((label) => [label, null]))
      const { answers } = await model.decide(ask(text, { type: 'choice', instructions: template, criteria }), context)
      const choice = answers['q'] as { readonly probabilities: Readonly<Record<string, number>> }
      expect(furthest(Object.values(choice.probabilities), scores)).toBeLessThan(1e-4)
      for (const [index, label] of labels.entries()) {
        const question = { type: 'noul', instructions: template.replace('{}', label) }
        const { answers } = await model.decide(ask(text, question), context)
        expect(answers['q']).toHaveProperty('noul', expect.closeTo(alone[index]!, 4))
      }
    }
  })

  it('is refused without labels of inference, which are named', async () => {
    const renamed = (text: string) => text.replace(/entailment"/gi, 'positive"')
    const changed = withTexts(openFolder(fixtureFolder(name)), { 'config.json': renamed })
    await expect(open(name, changed)).rejects.toThrow(/entailment and for contradiction.*positive/)
  })
})

it.each([
  ['laya', 'laya'],
  ['julia', 'julia'],
  ['opendecider-nano', 'opendecider-nano'],
  ['nli-bert', 'nli'],
  ['nli-modernbert', 'nli'],
  ['bert-tree', 'tree-1'],
])('a calibration of somebody’s own tells %s by how it is asked', async (name, template) => {
  expect(await identifyDecider(openFolder(fixtureFolder(name)))).toMatchObject({ weights: 'float', template })
})

it('a Laya checkpoint is described from its own files', async () => {
  const described = await describeCheckpoint(openFolder(fixtureFolder('laya')))
  expect(described).toMatchObject({ kind: 'decisions', weights: 'F16' })
})
