import { generateImage } from 'ai'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTessera, type TesseraProviderOptions } from '../src/ai-sdk/index.ts'
import { createEngine, type Engine } from '../src/engine/index.ts'
import { createNodeServer } from '../src/http/adapters/node.ts'
import { createServer } from '../src/http/index.ts'
import { listen, type Listening } from '../src/http/test-support/listen.ts'
import { materializeControlled } from './helpers/control-net.ts'
import { type ImageBundle, materializeBundle } from './helpers/image-bundle.ts'

const REQUEST = { model: 'alpha-image-turbo', prompt: 'a red apple', size: '96x64', seed: 7 }
const EDIT = { model: 'alpha-image-turbo', prompt: 'a pear', seed: 3 }

let controlled: ImageBundle
let klein: ImageBundle
let engine: Engine
let service: Listening
let edges: Buffer
let source: Buffer
beforeAll(async () => {
  globalThis.AI_SDK_LOG_WARNINGS = false
  controlled = await materializeControlled('shared')
  klein = await materializeBundle('klein-distilled')
  // Large enough that a picture is taken out of the JSON around it.
  edges = await sharp({
    create: {
      width: 288,
      height: 192,
      channels: 3,
      background: 'grey',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  })
    .png()
    .toBuffer()
  source = await sharp({ create: { width: 96, height: 64, channels: 3, background: '#c04020' } })
    .png()
    .toBuffer()
  const models = { 'alpha-image-turbo': controlled.folder, 'beta-klein-4b': klein.folder }
  engine = await createEngine({ backend: 'cpu', threads: 1, models })
  service = await listen(createNodeServer(createServer({ engine })))
})
afterAll(async () => {
  await service.close()
  await engine.dispose()
  await controlled.remove()
  await klein.remove()
})

interface Answer {
  readonly data: readonly { readonly b64_json: string }[]
  readonly error?: { readonly param: string; readonly message: string }
}

async function send(path: string, body: object | FormData, status = 200): Promise<Answer> {
  const isForm = body instanceof FormData
  const response = await fetch(`${service.url}/v1/images/${path}`, {
    method: 'POST',
    ...(isForm ? { body } : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  const answer = (await response.json()) as Answer
  expect([response.status, answer.error?.message]).toEqual([status, status === 200 ? undefined : expect.any(String)])
  return answer
}

const text = () => edges.toString('base64')
const first = ({ data }: { readonly data: readonly { readonly b64_json: string }[] }) => data[0]!.b64_json

it('a service follows a picture as the engine does, in JSON', async () => {
  expect(text().length).toBeGreaterThan(65_536)
  const plain = first(await send('generations', { ...REQUEST, steps: 2 }))
  for (const scale of [undefined, 0.2]) {
    const expected = first(await engine.generateImage(REQUEST, { steps: 2, control: { image: edges, scale } }))
    expect(expected).not.toBe(plain)
    for (const image of [text(), `data:image/png;base64,${text()}`]) {
      expect(first(await send('generations', { ...REQUEST, steps: 2, control: { image, scale } }))).toBe(expected)
    }
  }
})

it('and in forms of edits', async () => {
  const control = { image: edges, scale: 0.5 }
  const expected = first(await engine.editImage({ ...EDIT, image: source }, { steps: 2, control }))
  const form = new FormData()
  for (const [name, value] of Object.entries({ ...EDIT, steps: 2 })) form.set(name, String(value))
  form.set('image', new Blob([new Uint8Array(source)]), 'source.png')
  form.set('control[image]', new Blob([new Uint8Array(edges)]), 'edges.png')
  form.set('control[scale]', '0.5')
  expect(first(await send('edits', form))).toBe(expected)
  const body = { ...EDIT, steps: 2, image: source.toString('base64'), control: { image: text(), scale: 0.5 } }
  expect(first(await send('edits', body))).toBe(expected)
})

it('refuses what cannot be followed, by the name of the field', async () => {
  const refuse = async (fields: object) => (await send('generations', { ...REQUEST, steps: 2, ...fields }, 422)).error
  expect(await refuse({ control: { image: 'no base64!' } })).toMatchObject({ param: 'control.image' })
  expect(await refuse({ control: { image: Buffer.from('x').toString('base64') } })).toMatchObject({
    param: 'control.image',
    message: expect.stringContaining('PNG, JPEG or WebP'),
  })
  const huge = await sharp({ create: { width: 9000, height: 6000, channels: 3, background: 'black' } })
    .png()
    .toBuffer()
  expect(await refuse({ control: { image: huge.toString('base64') } })).toMatchObject({
    param: 'control.image',
    message: expect.stringContaining('50 million pixels'),
  })
  expect(await refuse({ model: 'beta-klein-4b', control: { image: text() } })).toMatchObject({
    param: 'control',
    message: expect.stringContaining('ControlNet'),
  })
})

it('the AI SDK follows a picture in this process, in a service and in a job of it', async () => {
  const control = { image: text(), scale: 0.5 }
  const expected = first(await engine.generateImage(REQUEST, { steps: 2, control }))
  const draw = (provider: ReturnType<typeof createTessera>, more: TesseraProviderOptions = {}, name = REQUEST.model) =>
    generateImage({
      model: provider.image(name),
      prompt: REQUEST.prompt,
      size: '96x64',
      seed: REQUEST.seed,
      maxRetries: 0,
      providerOptions: { tessera: { steps: 2, control, ...more } satisfies TesseraProviderOptions },
    })
  const [here, there] = [createTessera({ engine }), createTessera({ baseURL: service.url })]
  for (const drawn of [await draw(here), await draw(there), await draw(there, { background: true })]) {
    expect([drawn.image.base64 === expected, drawn.warnings]).toEqual([true, []])
  }
  await expect(draw(here, { control: { ...control, scale: 3 } })).rejects.toMatchObject({ path: 'control.scale' })
  await expect(draw(here, {}, 'beta-klein-4b')).rejects.toMatchObject({ path: 'control' })
  await expect(draw(there, {}, 'beta-klein-4b')).rejects.toMatchObject({
    statusCode: 422,
    message: expect.stringMatching(/^control: /),
  })
})
