import {
  createProviderRegistry,
  experimental_decide as decide,
  generateImage,
  NoSuchModelError,
  UnsupportedFunctionalityError,
} from 'ai'
import sharp from 'sharp'
import { afterAll, describe, expect, it } from 'vitest'
import { createTessera } from '../../src/ai-sdk/index.ts'
import { createStubEngine } from '../../src/http/test-support/stub-engine.ts'
import { AbortedError, createEngine, disposeDefaultEngine, InvalidRequestError } from '../../src/index.ts'
import { writeTinyModels } from '../helpers/tiny-server.ts'

// Warnings are looked at; the AI SDK would print them as well.
globalThis.AI_SDK_LOG_WARNINGS = false
const models = await writeTinyModels(true)
const engine = await createEngine({ backend: 'cpu', threads: 1, worker: false, models })
afterAll(() => engine.dispose())
const tessera = createTessera({ engine })

const sourceOf = (red: number) =>
  sharp({ create: { width: 96, height: 64, channels: 3, background: { r: red, g: 80, b: 80 } } })
    .png()
    .toBuffer()

async function sidesOf(bytes: Uint8Array) {
  const { width, height } = await sharp(bytes).metadata()
  return [width, height]
}

describe('generateImage of ai', () => {
  const model = () => tessera.image('alpha-image-turbo')

  it('draws, and draws the same again for the same seed', async () => {
    const draw = (seed: number) => generateImage({ model: model(), prompt: 'a red apple', size: '64x48', seed })
    const { image, warnings, responses } = await draw(1)
    expect([image.mediaType, await sidesOf(image.uint8Array), warnings]).toEqual(['image/png', [64, 48], []])
    expect(responses[0]).toMatchObject({ modelId: 'alpha-image-turbo', timestamp: expect.any(Date) })
    expect((await draw(1)).image.base64).toBe(image.base64)
    expect((await draw(2)).image.base64).not.toBe(image.base64)
  })

  it('passes on steps and guidance, which the engine checks', async () => {
    const draw = (options: { steps: number }) =>
      generateImage({ model: model(), prompt: 'x', size: '64x64', seed: 1, providerOptions: { tessera: options } })
    expect((await draw({ steps: 1 })).image.base64).not.toBe((await draw({ steps: 3 })).image.base64)
    await expect(draw({ steps: 0 })).rejects.toMatchObject({ code: 'invalid_request', path: 'steps' })
  })

  it('says what it does not follow', async () => {
    const { warnings } = await generateImage({ model: model(), prompt: 'x', aspectRatio: '16:9', size: '64x64' })
    expect(warnings).toEqual([{ type: 'unsupported', feature: 'aspectRatio', details: 'give a size instead' }])
  })

  it('passes on what the model does not draw', async () => {
    const prompt = 'a lighthouse and a blue rainbow'
    await using mini = await createEngine({ backend: 'cpu', threads: 1, worker: false })
    const { warnings } = await generateImage({
      model: createTessera({ engine: mini }).image('image-mini'),
      prompt,
      size: '64x64',
    })
    expect(warnings).toEqual([
      { type: 'other', message: expect.stringMatching(/^prompt: this small model .*lighthouse/) },
      { type: 'other', message: expect.stringContaining('blue rainbow') },
    ])
  })

  it('stops when told to', async () => {
    const stub = createStubEngine()
    stub.hold()
    const drawn = generateImage({
      model: createTessera({ engine: stub.engine }).image('x'),
      prompt: 'x',
      abortSignal: AbortSignal.timeout(5),
    })
    await expect(drawn).rejects.toBeInstanceOf(AbortedError)
  })
})

describe('generateImage of ai with pictures in its prompt', () => {
  const model = () => tessera.image('beta-klein-4b')

  it('edits one, and joins several, as bytes, base64 or data URLs', async () => {
    const source = await sourceOf(200)
    const base64 = source.toString('base64')
    for (const images of [[source], [base64], [`data:image/png;base64,${base64}`], [source, await sourceOf(20)]]) {
      const { image } = await generateImage({ model: model(), prompt: { text: 'make it blue', images }, seed: 3 })
      expect(await sidesOf(image.uint8Array)).toEqual([96, 64])
    }
  })

  it('does the same for the same seed, and says that it takes no size', async () => {
    const images = [await sourceOf(200)]
    const edit = () => generateImage({ model: model(), prompt: { text: 'x', images }, seed: 3, size: '512x512' })
    const [first, second] = [await edit(), await edit()]
    expect(second.image.base64).toBe(first.image.base64)
    expect(first.warnings).toMatchObject([{ type: 'unsupported', feature: 'size' }])
  })

  it('changes what its mask leaves open, and nothing else', async () => {
    const source = await sourceOf(200)
    const mask = await sharp({ create: { width: 96, height: 64, channels: 3, background: 'black' } })
      .png()
      .toBuffer()
    const kept = await generateImage({ model: model(), prompt: { text: 'x', images: [source], mask }, seed: 3 })
    expect((await sharp(kept.image.uint8Array).stats()).channels.map(({ min, max }) => [min, max])).toEqual(
      [200, 80, 80].map((level) => [level, level]),
    )
  })

  it('refuses a mask of another size, an address and what is no picture', async () => {
    const source = await sourceOf(200)
    const edit = (prompt: { text: string; images: (string | Buffer)[]; mask?: Buffer }) =>
      generateImage({ model: model(), prompt })
    const small = await sharp(source).resize(64, 64).png().toBuffer()
    await expect(edit({ text: 'x', images: [source], mask: small })).rejects.toMatchObject({ path: 'mask' })
    const fetched = edit({ text: 'x', images: ['https://example.org/a.png'] })
    await expect(fetched).rejects.toBeInstanceOf(UnsupportedFunctionalityError)
    await expect(edit({ text: 'x', images: [Buffer.from('text')] })).rejects.toBeInstanceOf(InvalidRequestError)
  })
})

describe('decide of ai', () => {
  const model = () => tessera.decisionModel('decide-latest')
  const questions = {
    urgent: { type: 'boolean', instructions: 'Is it urgent?', criteria: { true: 'today' } },
    'team 🎯': { type: 'choice', criteria: { billing: 'Money', tech: null, other: { is: 'any' } } },
    anger: { type: 'score', instructions: 'How angry?', criteria: ['calm', 'cross', { is: 'mad' }] },
  } as const

  it('answers on a text, a record and parts as the engine does', async () => {
    const parts = [
      { type: 'text' as const, text: 'Twice' },
      { type: 'json' as const, value: { order: 7 } },
    ]
    const states = [
      ['Charged twice', 'Charged twice'],
      [{ order: 7 }, { order: 7 }],
      [parts, ['Twice', { order: 7 }]],
    ]
    for (const [state, own] of states as unknown as (readonly [string, string])[]) {
      const { answers, usage, warnings, providerMetadata, response } = await decide({
        model: model(),
        state,
        questions,
      })
      const expected = await engine.decide({
        state: own,
        questions: { ...questions, urgent: { ...questions.urgent, type: 'noul' } },
      })
      const { choice, probabilities } = expected.answers['team 🎯']
      expect(answers.urgent).toEqual({ type: 'boolean', probability: expected.answers.urgent.noul })
      expect(answers['team 🎯']).toEqual({ type: 'choice', choice, probabilities })
      expect(answers.anger).toMatchObject({ score: expected.answers.anger.score })
      expect(usage).toMatchObject({ inputTokens: expected.usage.input_tokens, outputTokens: 0 })
      expect([warnings, response.modelId]).toEqual([[], 'tiny'])
      expect(providerMetadata).toEqual({
        tessera: { confidence: { 'team 🎯': expect.any(Number), anger: expected.answers.anger.confidence } },
      })
    }
  })

  it('warns of settings that mean nothing here, and refuses files and boxes', async () => {
    const state = 'x'
    const { warnings } = await decide({ model: model(), state, questions, maxOutputTokens: 5, reasoning: 'high' })
    expect(warnings).toMatchObject([{ feature: 'maxOutputTokens' }, { feature: 'reasoning' }])
    const picture = [{ type: 'file' as const, data: await sourceOf(1), mediaType: 'image/png' }]
    await expect(decide({ model: model(), state: picture, questions })).rejects.toBeInstanceOf(
      UnsupportedFunctionalityError,
    )
    const boxes = decide({ model: model(), state, questions: { q: { type: 'box', instructions: 'Where?' } } })
    await expect(boxes).rejects.toThrow(/box/)
  })

  it('has names of JavaScript come back as they are', async () => {
    const named = JSON.parse(
      '{"__proto__":{"type":"choice","criteria":{"__proto__":null,"toString":null}}}',
    ) as typeof questions
    const { answers } = await decide({ model: model(), state: 'x', questions: named })
    expect(Object.keys(answers)).toEqual(['__proto__'])
  })

  it('throws the errors of this package, once', async () => {
    const stub = createStubEngine()
    stub.failure = new InvalidRequestError('state', 'is not liked')
    const decided = decide({ model: createTessera({ engine: stub.engine }).decisionModel('x'), state: 'x', questions })
    await expect(decided).rejects.toBe(stub.failure)
    expect(stub.clients).toHaveLength(1)
  })
})

it('the provider stands in a registry, and has no models of other kinds', async () => {
  const registry = createProviderRegistry({ tessera })
  expect(registry.imageModel('tessera:alpha-image-turbo').modelId).toBe('alpha-image-turbo')
  expect(registry.decisionModel('tessera:decide-latest').provider).toBe('tessera')
  expect(() => registry.languageModel('tessera:x')).toThrow(NoSuchModelError)
})

it('the provider without an engine uses that of the package', async () => {
  const model = createTessera().decisionModel('nobody/no-such-model')
  const questions = { q: { type: 'boolean', instructions: 'Yes?' } } as const
  await expect(decide({ model, state: 'x', questions })).rejects.toMatchObject({ code: 'model_not_found' })
  await disposeDefaultEngine()
})
