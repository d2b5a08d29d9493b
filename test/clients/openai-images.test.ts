import OpenAI, { APIError, AuthenticationError, toFile, UnprocessableEntityError } from 'openai'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { createServer } from '../../src/http/index.ts'
import { createStubEngine } from '../../src/http/test-support/stub-engine.ts'
import { InternalError } from '../../src/index.ts'
import { startTinyServer } from '../helpers/tiny-server.ts'

const tiny = await startTinyServer({ keys: [{ key: 'right', id: 'me' }], images: true })
const client = new OpenAI({ baseURL: `${tiny.url}/v1`, apiKey: 'right', logLevel: 'off' })

const GENERATION = { model: 'alpha-image-turbo', prompt: 'a red apple', size: '64x64' } as const
const EDIT = { model: 'beta-klein-4b', prompt: 'make it blue' } as const

const source = async (red: number) =>
  toFile(
    await sharp({ create: { width: 96, height: 64, channels: 3, background: { r: red, g: 80, b: 80 } } })
      .png()
      .toBuffer(),
    'source.png',
    { type: 'image/png' },
  )

async function shapeOf(base64: string | undefined) {
  const { format, width, height } = await sharp(Buffer.from(base64!, 'base64')).metadata()
  return [format, width, height]
}

describe('openai', () => {
  it('generates pictures, and gets the same again for the same seed', async () => {
    const first = await client.images.generate({ ...GENERATION, n: 2, quality: 'high', response_format: 'b64_json' })
    expect(first.data).toHaveLength(2)
    for (const { b64_json } of first.data!) expect(await shapeOf(b64_json)).toEqual(['png', 64, 64])
    expect(first.created).toBeCloseTo(Date.now() / 1000, -2)
    const draw = async () => {
      const { data } = await client.images.generate({
        ...GENERATION,
        seed: 7,
      } as OpenAI.ImageGenerateParamsNonStreaming)
      return data![0]!.b64_json
    }
    expect(await draw()).toBe(await draw())
  })

  it('edits a file, and several', async () => {
    const one = await client.images.edit({ ...EDIT, image: await source(200) })
    expect(await shapeOf(one.data![0]!.b64_json)).toEqual(['png', 96, 64])
    const image = [await source(200), await source(20)]
    const joined = await client.images.edit({ ...EDIT, image, n: 2, user: 'me' })
    expect(joined.data).toHaveLength(2)
  })

  it('changes what is transparent in a mask, and nothing else', async () => {
    const hole = await sharp({
      create: { width: 48, height: 64, channels: 4, background: { r: 9, g: 9, b: 9, alpha: 0 } },
    })
      .extend({ left: 48, background: { r: 9, g: 9, b: 9, alpha: 1 } })
      .png()
      .toBuffer()
    const mask = await toFile(hole, 'mask.png', { type: 'image/png' })
    const { data } = await client.images.edit({ ...EDIT, image: await source(200), mask })
    const kept = await sharp(Buffer.from(data![0]!.b64_json!, 'base64'))
      .extract({ left: 0, top: 0, width: 48, height: 64 })
      .toBuffer()
    const { channels } = await sharp(kept).stats()
    expect(channels.map(({ min, max }) => [min, max])).toEqual([200, 80, 80].map((level) => [level, level]))
  })

  it('streams: a picture is an event with all that its type says', async () => {
    const generated = await client.images.generate({ ...GENERATION, stream: true, partial_images: 2 })
    const events = []
    for await (const event of generated) events.push(event)
    expect(events).toMatchObject([
      { type: 'image_generation.partial_image', partial_image_index: 0, size: '8x8' },
      { type: 'image_generation.partial_image', partial_image_index: 1, size: '8x8' },
      { type: 'image_generation.completed', size: '64x64', output_format: 'png' },
    ])
    const edited = await client.images.edit({ ...EDIT, image: await source(200), stream: true, n: 2 })
    for await (const event of edited) events.push(event)
    expect(events.slice(3)).toMatchObject([1, 2].map(() => ({ type: 'image_edit.completed', size: '96x64' })))
    for (const { b64_json } of events) expect((await shapeOf(b64_json))[0]).toBe('png')
  })

  it('is charged for every picture of the above', async () => {
    const used = [
      { endpoint: 'generations', units: 5 },
      { endpoint: 'edits', units: 6 },
    ]
    expect(await tiny.server.usage('me')).toMatchObject(used)
  })

  it('is told the field at fault', async () => {
    const wrong = client.images.generate({ ...GENERATION, response_format: 'url' })
    await expect(wrong).rejects.toBeInstanceOf(UnprocessableEntityError)
    await expect(wrong).rejects.toMatchObject({
      status: 422,
      param: 'response_format',
      code: 'invalid_request',
      requestID: expect.stringMatching(/^req_/),
    })
    const broken = client.images.edit({ ...EDIT, image: await toFile(Buffer.from('no picture'), 'a.png') })
    await expect(broken).rejects.toMatchObject({ status: 422, param: 'image' })
    const stranger = new OpenAI({ baseURL: `${tiny.url}/v1`, apiKey: 'wrong' })
    await expect(stranger.images.generate(GENERATION)).rejects.toBeInstanceOf(AuthenticationError)
  })
})

it('openai throws what went wrong in a stream', async () => {
  const stub = createStubEngine()
  const open = stub.hold()
  const server = createServer({ engine: stub.engine })
  const over = new OpenAI({
    baseURL: 'http://server/v1',
    apiKey: 'a',
    logLevel: 'off',
    fetch: (url, init) => server.fetch(new Request(url as string, init as RequestInit)),
  })
  const stream = await over.images.generate({ ...GENERATION, stream: true })
  stub.failure = new InternalError()
  open()
  const error = await (async () => {
    for await (const event of stream) expect(event).toBeUndefined()
  })().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(APIError)
  expect(error).toMatchObject({ type: 'internal_error', code: 'internal_error' })
})
