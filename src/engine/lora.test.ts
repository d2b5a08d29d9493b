import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writeHollowAdapter } from '../../test/helpers/hollow-adapter.ts'
import { type ImageBundle, materializeBundle } from '../../test/helpers/image-bundle.ts'
import { fixtureFolder } from '../../test/helpers/language-model-fixture.ts'
import { temporaryFolder } from '../../test/helpers/temporary-folder.ts'
import { createEngine, type Engine } from './index.ts'

const SMALL = fixtureFolder('opendecider-small')
const ADAPTER = fixtureFolder('opendecider-small-lora')
const KLEIN = fixtureFolder('lora-images/klein-distilled')
const REQUEST = {
  state: 'I was charged twice for order 1182.',
  questions: { q: { type: 'choice', instructions: 'Which team?', criteria: { billing: 'charges', tech: null } } },
} as const
const PICTURE = { prompt: 'a red apple', size: '64x64', seed: 3 } as const

let engine: Engine
let bundle: ImageBundle
const work = temporaryFolder()
beforeAll(async () => {
  bundle = await materializeBundle('klein-distilled')
  engine = await createEngine({
    backend: 'cpu',
    threads: 1,
    models: {
      'decide-latest': SMALL,
      adapted: SMALL,
      'beta-klein-4b': bundle.folder,
      'alpha-image-turbo': bundle.folder,
    },
    loras: { adapted: [{ path: ADAPTER }] },
  })
})
afterAll(async () => {
  await engine.dispose()
  await bundle.remove()
})

const decide = async (lora?: readonly { path: string; scale?: number }[], model = 'decide-latest') => {
  const { answers } = await engine.decide({ ...REQUEST, model }, { lora })
  return answers.q.probabilities['billing']!
}
const open = () => engine.activity().models.reduce((sum, model) => sum + model.open, 0)

describe('decisions with adapters', () => {
  it('are others, in order of their strength, and those of scale 0 are the model’s own', async () => {
    const own = await decide()
    const [half, whole] = [await decide([{ path: ADAPTER, scale: 0.5 }]), await decide([{ path: ADAPTER }])]
    expect(new Set([own, half, whole]).size).toBe(3)
    expect(await decide([{ path: ADAPTER, scale: 0 }])).toBe(own)
    expect(
      await decide([
        { path: '/nowhere', scale: 0 },
        { path: ADAPTER, scale: 1 },
      ]),
    ).toBe(whole)
    expect(await decide([])).toBe(own)
    const twice = [
      { path: ADAPTER, scale: 0.5 },
      { path: ADAPTER, scale: 0.5 },
    ]
    expect(await decide(twice)).toBeCloseTo(whole, 5)
  })

  it('stay open for the next call, and a name with adapters is the same model', async () => {
    const whole = await decide([{ path: ADAPTER }])
    const before = open()
    expect(await decide([{ path: ADAPTER, scale: 1 }])).toBe(whole)
    expect(await decide(undefined, 'adapted')).toBe(whole)
    expect(await decide([{ path: ADAPTER, scale: 0.5 }], 'adapted')).not.toBe(whole)
    expect(open()).toBe(before + 1)
  })

  it('of the default model are those of names of other services too, which open no other model', async () => {
    await using other = await createEngine({
      backend: 'cpu',
      threads: 1,
      models: { 'decide-latest': SMALL, plain: SMALL },
      loras: { 'decide-latest': [{ path: ADAPTER }] },
    })
    const ask = async (model?: string) =>
      (await other.decide({ ...REQUEST, ...(model !== undefined && { model }) })).answers.q.probabilities['billing']!
    const whole = await decide([{ path: ADAPTER }])
    expect([await ask(), await ask('jev-latest'), await ask('gpt-4')]).toEqual([whole, whole, whole])
    expect(other.activity().models).toMatchObject([{ open: 1 }])
    expect(await ask('plain')).toBe(await decide())
  })

  it('are closed as models are', async () => {
    await using small = await createEngine({
      backend: 'cpu',
      threads: 1,
      models: { 'decide-latest': SMALL },
      memoryBudget: 0,
    })
    for (const scale of [0.1, 0.2, 0.3]) await small.decide(REQUEST, { lora: [{ path: ADAPTER, scale }] })
    expect(small.activity().models.reduce((sum, model) => sum + model.open, 0)).toBe(1)
  })

  it('are many with the same adapters', async () => {
    const expected = await decide([{ path: ADAPTER }])
    for await (const { response } of engine.decideMany([REQUEST], { lora: [{ path: ADAPTER }] })) {
      expect(response!.answers['q']).toMatchObject({ probabilities: { billing: expected } })
    }
  })
})

it('the folder of an adapter of opendecider is asked in the words of its authors, as its base with it is', async () => {
  const plain = join(work, 'plain')
  await cp(SMALL, plain, { recursive: true })
  await rm(join(plain, 'opendecider.json'))
  const folder = join(work, 'adapted')
  await cp(ADAPTER, folder, { recursive: true })
  await cp(plain, join(work, 'opendecider-small'), { recursive: true })
  process.env['TESSERA_CACHE'] = join(work, 'cache')
  await using other = await createEngine({
    backend: 'cpu',
    threads: 1,
    models: { 'decide-latest': plain, merged: folder },
  })
  const chosen = await other.decide(REQUEST, { lora: [{ path: folder }] })
  const merged = await other.decide({ ...REQUEST, model: 'merged' })
  delete process.env['TESSERA_CACHE']
  expect(chosen.answers.q.probabilities['billing']).toBeCloseTo(merged.answers.q.probabilities['billing']!, 5)
  expect(chosen.usage).toEqual(merged.usage)
  expect(chosen.model).toBe('tiny-adapted')
  const { input_tokens } = await other.countTokens(REQUEST, { lora: [{ path: folder }] })
  expect(input_tokens).toBe(chosen.usage.input_tokens)
})

describe('pictures with adapters', () => {
  const draw = async (lora?: readonly { path: string; scale?: number }[]) =>
    (await engine.generateImage(PICTURE, { steps: 2, lora })).data[0].b64_json

  it('are others, and those of scale 0 are the model’s own, to the bit', async () => {
    const own = await draw()
    const [first, second] = [join(KLEIN, 'diffusers.safetensors'), join(KLEIN, 'second.safetensors')]
    const pictures = [own, await draw([{ path: first }]), await draw([{ path: first }, { path: second, scale: 2 }])]
    expect(new Set(pictures).size).toBe(3)
    expect(
      await draw([
        { path: first, scale: 0 },
        { path: second, scale: 0 },
      ]),
    ).toBe(own)
  })

  it('are drawn with those of the default model under names of other services', async () => {
    const lora = [{ path: join(KLEIN, 'diffusers.safetensors') }]
    await using other = await createEngine({
      backend: 'cpu',
      threads: 1,
      models: { 'alpha-image-turbo': bundle.folder },
      loras: { 'alpha-image-turbo': lora },
    })
    const { data } = await other.generateImage({ ...PICTURE, model: 'dall-e-3' }, { steps: 2 })
    expect(data[0].b64_json).toBe(await draw(lora))
  })

  it('are changed with them', async () => {
    const image = await draw()
    const edit = async (scale: number) =>
      (
        await engine.editImage(
          { prompt: 'blue', image },
          { seed: 1, steps: 2, lora: [{ path: join(KLEIN, 'kohya.safetensors'), scale }] },
        )
      ).data[0].b64_json
    expect(await edit(1)).not.toBe(await edit(0))
  })
})

describe('what is wrong is refused by the name of its field', () => {
  it.each([
    [{ lora: './x' }, 'lora'],
    [{ lora: [{ scale: 1 }] }, 'lora.0.path'],
    [{ lora: [{ path: '' }] }, 'lora.0.path'],
    [{ lora: [{ path: ADAPTER, scale: '1' }] }, 'lora.0.scale'],
    [{ lora: [{ path: ADAPTER }, { path: ADAPTER, scale: Number.NaN }] }, 'lora.1.scale'],
    [{ lora: [{ path: ADAPTER, scale: 101 }] }, 'lora.0.scale'],
    [{ lora: [{ path: ADAPTER, weight: 1 }] }, 'lora.0.weight'],
    [{ lora: Array.from({ length: 17 }, () => ({ path: ADAPTER })) }, 'lora'],
    [{ lora: [{ path: './nowhere.safetensors' }] }, 'lora.0.path'],
    [{ lora: [{ path: 'owner/never-downloaded' }] }, 'lora.0.path'],
  ])('%j', async (options, field) => {
    await expect(engine.decide(REQUEST, options as never)).rejects.toMatchObject({
      code: 'invalid_request',
      path: field,
    })
  })

  it('adapters of another model, counted', async () => {
    await expect(decide([{ path: join(KLEIN, 'diffusers.safetensors') }])).rejects.toThrow(/12 others: transformer\./)
  })

  it('more than 16, counted', async () => {
    const lora = Array.from({ length: 17 }, () => ({ path: ADAPTER }))
    await expect(engine.decide(REQUEST, { lora })).rejects.toThrow('lora: must be at most 16 adapters, got 17')
  })

  it('names of models that there are not', async () => {
    await expect(createEngine({ loras: { stranger: [{ path: ADAPTER }] } })).rejects.toMatchObject({
      path: 'loras.stranger',
    })
  })

  it('and what the options name is no fault of a call: it is one of the model, by the name of the option', async () => {
    const big = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => writeHollowAdapter(join(work, `${name}.safetensors`))),
    )
    await using other = await createEngine({
      backend: 'cpu',
      models: { big: SMALL, gone: SMALL, plain: SMALL },
      loras: {
        big: big.map((path) => ({ path })),
        gone: [{ path: ADAPTER }, { path: './nowhere.safetensors' }],
        plain: [{ path: ADAPTER }],
      },
    })
    const ask = (model: string, lora?: { path: string }[]) => other.decide({ ...REQUEST, model }, { lora })
    await expect(ask('big')).rejects.toMatchObject({
      code: 'model_format',
      file: 'loras.big',
      expected: 'adapters of at most 503316480 numbers together',
      got: '536870912',
    })
    await expect(ask('gone')).rejects.toMatchObject({
      code: 'model_format',
      file: 'loras.gone.1.path',
      got: "'./nowhere.safetensors', which is not there",
    })
    const own = [{ path: ADAPTER }, { path: './neither.safetensors' }]
    await expect(ask('plain', own)).rejects.toMatchObject({ code: 'invalid_request', path: 'lora.1.path' })
    await expect(
      ask(
        'plain',
        big.map((path) => ({ path })),
      ),
    ).rejects.toMatchObject({ path: 'lora' })
  })

  it('and a body names none', async () => {
    const { warnings } = await engine.decide({ ...REQUEST, lora: [{ path: ADAPTER }] } as never)
    expect(warnings).toMatchObject([{ path: 'lora' }])
  })
})
