import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { startTinyServer } from '../helpers/tiny-server.ts'

interface ImageReply {
  readonly status: number
  readonly body: {
    readonly data: readonly { readonly b64_json: string }[]
    readonly message: string
    readonly error_type: string
    readonly detail: unknown
    readonly error: object
  }
}

const tiny = await startTinyServer({ keys: ['right'], images: true })
const picture = sharp({ create: { width: 64, height: 80, channels: 3, background: '#905020' } })
const source = (await picture.png().toBuffer()).toString('base64')

async function post(path: string, body: object, key = 'right'): Promise<ImageReply> {
  const response = await fetch(`${tiny.url}/v1/images/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as ImageReply['body'] }
}
const generate = (body: object) => post('generations', { prompt: 'a red apple', size: '64x64', ...body })
const edit = (body: object) => post('edits', { prompt: 'make it blue', ...body })

const sidesOf = async ({ b64_json }: { readonly b64_json: string }) => {
  const { format, width, height } = await sharp(Buffer.from(b64_json, 'base64')).metadata()
  return `${format} ${width}x${height}`
}

describe('section 2.1: a generation', () => {
  it('has one PNG of the size asked for for each of n', async () => {
    for (const n of [1, 4]) {
      const { status, body } = await generate({ n, size: '48x64', model: 'alpha-image-turbo' })
      expect([status, body.data.length]).toEqual([200, n])
      for (const image of body.data) expect(await sidesOf(image)).toBe('png 48x64')
    }
  })

  it('is the same for the same seed and prompt, and another for another', async () => {
    const draw = async (body: object) => (await generate(body)).body.data[0]!.b64_json
    const first = await draw({ seed: 5 })
    expect(await draw({ seed: 5 })).toBe(first)
    expect(await draw({ seed: 6 })).not.toBe(first)
    expect(await draw({ seed: 5, prompt: 'a green apple' })).not.toBe(first)
  })

  it('needs neither model nor seed nor n', async () => {
    expect((await generate({})).body.data).toHaveLength(1)
  })

  it.each([
    [{ prompt: undefined }, 'prompt'],
    [{ prompt: '' }, 'prompt'],
    [{ prompt: 5 }, 'prompt'],
    [{ size: '2049x64' }, 'size'],
    [{ size: '64x2064' }, 'size'],
    [{ size: '64' }, 'size'],
    [{ size: '0x0' }, 'size'],
    [{ n: 5 }, 'n'],
    [{ n: 0 }, 'n'],
    [{ n: 1.5 }, 'n'],
    [{ seed: 'x' }, 'seed'],
    [{ seed: 1e300 }, 'seed'],
    [{ model: 5 }, 'model'],
  ])('is refused with 422 for %j', async (change, field) => {
    const { status, body } = await generate(change)
    expect([status, body.error_type]).toEqual([422, 'invalid_request'])
    expect(body.message).toMatch(new RegExp(`^${field}: `))
    expect(body.error).toMatchObject({ type: 'invalid_request_error', param: field, code: 'invalid_request' })
    expect(body.detail).toEqual([{ loc: ['body', field], msg: expect.any(String), type: 'value_error' }])
  })
})

describe('section 2.2: an edit', () => {
  it('takes its source as base64 and as a data URL', async () => {
    for (const image of [source, `data:image/png;base64,${source}`]) {
      const { status, body } = await edit({ image, model: 'beta-klein-4b' })
      expect([status, await sidesOf(body.data[0]!)]).toEqual([200, 'png 64x80'])
    }
  })

  it('takes several sources, and makes several variants', async () => {
    const { status, body } = await edit({ images: [source, source], n: 2 })
    expect([status, body.data.length]).toEqual([200, 2])
    expect(body.data[0]).not.toEqual(body.data[1])
  })

  it.each([
    [{}, 'image'],
    [{ image: '' }, 'image'],
    [{ image: 'no base64!' }, 'image'],
    [{ image: 5 }, 'image'],
    [{ images: [] }, 'images'],
    [{ images: 'x' }, 'images'],
    [{ images: ['aGVsbG8='] }, 'images[0]'],
    [{ image: 'aGVsbG8=', images: ['aGVsbG8='] }, 'images'],
    [{ image: 'aGVsbG8=', n: 5 }, 'n'],
  ])('is refused with 422 for %j', async (change, param) => {
    const { status, body } = await edit(change)
    expect([status, body.error]).toEqual([422, expect.objectContaining({ type: 'invalid_request_error', param })])
  })
})

it.each(['generations', 'edits'])('section 5: %s asks for a key before it reads', async (path) => {
  const { status, body } = await post(path, { prompt: 5 }, 'wrong')
  expect([status, body.error_type]).toEqual([401, 'authentication_error'])
})

it('the names of image models are listed', async () => {
  const response = await fetch(`${tiny.url}/v1/models`, { headers: { authorization: 'Bearer right' } })
  const { data } = (await response.json()) as { data: readonly { readonly id: string }[] }
  expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(['alpha-image-turbo', 'beta-klein-4b']))
})
