import { beforeEach, describe, expect, it, vi } from 'vitest'
import { InternalError } from '../../errors/index.ts'
import { createServer, type ServerOptions } from '../index.ts'
import { bearer, IMAGE_BODIES, json, post } from '../test-support/requests.ts'
import { createStubEngine, pngHeader, type StubEngine } from '../test-support/stub-engine.ts'

const GENERATIONS = '/v1/images/generations'
const EDITS = '/v1/images/edits'
const EDIT = { prompt: 'Make it blue', image: 'aGVsbG8=' }

let stub: StubEngine
beforeEach(() => {
  stub = createStubEngine()
})
const serve = (options: Omit<ServerOptions, 'engine'> = {}) => createServer({ engine: stub.engine, ...options })
const draw = (body: unknown, path = GENERATIONS) => serve().fetch(post(body, { path }))

describe('a request for pictures', () => {
  it('is answered with PNGs as base64, and the time', async () => {
    const response = await draw({ prompt: 'A red fox', size: '32x48', n: 2, seed: 7, model: 'alpha-image-turbo' })
    const image = { b64_json: pngHeader(32, 48).toString('base64') }
    expect([response.status, await json(response)]).toEqual([
      200,
      {
        created: expect.any(Number),
        data: [image, image],
      },
    ])
    expect(stub.drawn).toEqual([{ prompt: 'A red fox', size: '32x48', n: 2, seed: 7, model: 'alpha-image-turbo' }])
  })

  it('is answered with what the model warns of in a header, in ASCII, and nothing else', async () => {
    const words = { code: 'unknown_words', path: 'prompt', message: 'not Zürich, 🎯' } as const
    const colors = { code: 'object_colors', path: 'prompt', message: 'not red apple' } as const
    stub.warnings = [{ code: 'unknown_field', path: 'quality', message: 'quality: is ignored' }, words, colors]
    const response = await draw({ prompt: 'Zürich 🎯', quality: 'high' })
    const told = response.headers.get('tessera-warnings')!
    expect(told).toMatch(/^[ -~]+$/)
    expect(JSON.parse(told)).toEqual([words, colors])
    expect(Object.keys((await json(response)) as object)).toEqual(['created', 'data'])
    stub.warnings = [{ ...words, message: '苹'.repeat(1000) }, colors]
    expect(JSON.parse((await draw({ prompt: 'x' })).headers.get('tessera-warnings')!)).toEqual([
      colors,
      { code: 'more_warnings', path: 'prompt', message: expect.stringContaining('1 of 2 warnings') },
    ])
    stub.warnings = []
    expect((await draw({ prompt: 'x' })).headers.has('tessera-warnings')).toBe(false)
  })

  it('may name one source or several, and a seed', async () => {
    await draw({ ...EDIT, seed: 5 }, EDITS)
    await draw({ prompt: 'Join them', images: ['YQ==', 'Yg=='] }, EDITS)
    expect(stub.drawn).toEqual([
      { ...EDIT, n: 1, seed: 5 },
      { prompt: 'Join them', images: ['YQ==', 'Yg=='], n: 1 },
    ])
  })

  it.each(IMAGE_BODIES)('%s may name a picture to follow, and how closely', async (path, body) => {
    const url = 'data:image/png;base64,aGVsbG8='
    await draw({ ...body, control: { image: url, scale: 0.5 } }, path)
    await draw({ ...body, control: { image: 'aGVsbG8=', scale: null } }, path)
    await draw({ ...body, control: null }, path)
    expect(stub.drawn).toMatchObject([
      { control: { image: url, scale: 0.5 } },
      { control: { image: 'aGVsbG8=', scale: undefined } },
      {},
    ])
    expect(stub.drawn[2]).not.toHaveProperty('control')
  })

  it.each(IMAGE_BODIES)('%s takes what OpenAI clients send, null and auto for nothing', async (path, body) => {
    const extra = {
      model: null,
      n: null,
      size: 'auto',
      response_format: 'b64_json',
      output_format: 'png',
      background: 'auto',
      quality: 'high',
      style: 'vivid',
      moderation: 'low',
      user: 'me',
      output_compression: 100,
      partial_images: 3,
      stream: false,
      input_fidelity: 'high',
      safety_identifier: null,
      negative_prompt: '',
      seed: null,
      mask: null,
    }
    expect((await draw({ ...body, ...extra }, path)).status).toBe(200)
    expect((await draw(body, path)).status).toBe(200)
    expect(stub.drawn[0]).toEqual(stub.drawn[1])
  })

  it.each<[string, string, object]>([
    ['prompt', GENERATIONS, { prompt: null }],
    ['n', GENERATIONS, { n: 9 }],
    ['size', GENERATIONS, { prompt: 'x', size: '4096x64' }],
    ['n', GENERATIONS, { prompt: 'x', n: 5 }],
    ['stream', GENERATIONS, { prompt: 'x', stream: 'yes' }],
    ['response_format', GENERATIONS, { prompt: 'x', response_format: 'url' }],
    ['output_format', GENERATIONS, { prompt: 'x', output_format: 'webp' }],
    ['background', GENERATIONS, { prompt: 'x', background: 'transparent' }],
    ['image', EDITS, { prompt: 'x' }],
    ['images', EDITS, { ...EDIT, images: ['YQ=='] }],
    ['images.1', EDITS, { prompt: 'x', images: ['YQ==', 5] }],
    ['mask', EDITS, { ...EDIT, mask: 5 }],
    ['markup', EDITS, { ...EDIT, markup: 'YQ==' }],
    ['image', GENERATIONS, { prompt: 'x', image: 'YQ==' }],
    ['images', GENERATIONS, { prompt: 'x', images: ['YQ=='] }],
    ['mask', GENERATIONS, { prompt: 'x', mask: 'YQ==' }],
    ['strength', GENERATIONS, { prompt: 'x', strength: 0.5 }],
    ['strength', EDITS, { ...EDIT, strength: 2 }],
    ['steps', EDITS, { ...EDIT, steps: 101 }],
    ['guidance', GENERATIONS, { prompt: 'x', guidance: -1 }],
    ['negative_prompt', GENERATIONS, { prompt: 'x', negative_prompt: 5 }],
    ['control', GENERATIONS, { prompt: 'x', control: 'aGVsbG8=' }],
    ['control', EDITS, { ...EDIT, control: { image: 'aGVsbG8=', strength: 1 } }],
    ['control.image', GENERATIONS, { prompt: 'x', control: {} }],
    ['control.image', EDITS, { ...EDIT, control: { image: 5 } }],
    ['control.scale', GENERATIONS, { prompt: 'x', control: { image: 'aGVsbG8=', scale: 2.1 } }],
    ['size', EDITS, { ...EDIT, size: '1024x1024' }],
    ['seed', EDITS, { ...EDIT, seed: 0.5 }],
  ])('is refused for its %s', async (field, path, body) => {
    const response = await draw(body, path)
    expect(response.status).toBe(422)
    expect((await json(response)).message).toMatch(new RegExp(`^${field.replace('.', '\\.')}: `))
    expect(stub.drawn).toEqual([])
  })

  it('is refused without a word of the picture that it should follow', async () => {
    for (const control of [{ image: { SECRET: 'SECRET' } }, 'SECRET', { image: 'YQ==', SECRET: 1 }, ['SECRET']]) {
      const response = await draw({ prompt: 'x', control })
      expect(response.status).toBe(422)
      expect(await response.text()).not.toContain('SECRET')
    }
  })

  it.each(['[]', '"x"', '5', 'null', '{'])('is no %s', async (body) => {
    const response = await draw(body)
    expect([response.status, (await json(response)).message]).toEqual([422, expect.stringMatching(/^body: must be/)])
  })

  it('takes names of JavaScript for what they are', async () => {
    const body = '{"prompt":"x","__proto__":{"n":3,"stream":true},"constructor":1,"toString":2}'
    expect((await json(await draw(body))).data).toHaveLength(1)
    expect(({} as { stream?: boolean }).stream).toBeUndefined()
  })
})

describe('a body with pictures', () => {
  it('may be larger than others, and has a limit of its own', async () => {
    const { fetch } = serve({ maxBodyBytes: 100, maxEditBodyBytes: 1000 })
    const send = (path: string, body: object) => fetch(post({ ...body, prompt: 'x' }, { path }))
    expect((await send('/v1/decisions', { input: 'a'.repeat(200) })).status).toBe(413)
    const withPicture = (size: number) =>
      [
        [EDITS, { image: 'a'.repeat(size) }],
        [GENERATIONS, { control: { image: 'a'.repeat(size) } }],
      ] as const
    for (const [path, body] of withPicture(200)) expect([path, (await send(path, body)).status]).toEqual([path, 200])
    for (const [path, body] of withPicture(1000)) {
      const refused = await send(path, body)
      expect([refused.status, await json(refused)]).toEqual([
        413,
        expect.objectContaining({
          message: 'body: must be at most 1000 bytes',
          error: expect.objectContaining({ code: 'invalid_request' }),
        }),
      ])
    }
    expect(() => serve({ maxEditBodyBytes: 0 })).toThrow(/^maxEditBodyBytes: must be a whole number/)
  })
})

describe.each(IMAGE_BODIES)('%s', (path, body) => {
  const endpoint = path.split('/').at(-1)
  const headers = bearer('a')
  const serveOne = (settings: object) =>
    serve({ keys: [{ key: 'a', id: 'me', scopes: ['images', 'metrics'], ...settings }] })

  it('charges every picture once, and nothing for an error', async () => {
    const server = serveOne({ prepaid: '1' })
    const send = (n: number) => server.fetch(post({ ...body, n }, { path, headers }))
    expect([(await send(3)).status, (await send(9)).status]).toEqual([200, 422])
    stub.failure = new InternalError()
    expect((await send(1)).status).toBe(500)
    stub.failure = undefined
    const together = await Promise.all([send(1), send(1), send(1)])
    expect(together.map(({ status }) => status).sort()).toEqual([200, 200, 402])
    expect(await server.usage('me')).toEqual([
      { month: expect.any(String), endpoint, requests: 3, units: 5, freeUnits: 0, cost: '1' },
    ])
  })

  it('gives 402 to free tokens alone, before anything is drawn', async () => {
    const { fetch } = serveOne({ freeTokens: 1_000_000 })
    const response = await fetch(post(body, { path, headers }))
    expect([response.status, await json(response)]).toEqual([
      402,
      expect.objectContaining({
        error_type: 'insufficient_quota',
        error: expect.objectContaining({ type: 'insufficient_quota' }),
      }),
    ])
    expect(stub.drawn).toEqual([])
  })

  it('counts pictures for a key without limits, in usage and metrics', async () => {
    const server = serveOne({})
    await server.fetch(post({ ...body, n: 2 }, { path, headers }))
    expect(await server.usageByDay('me')).toMatchObject([{ endpoint, requests: 1, units: 2, cost: '0.4' }])
    const metrics = await (await server.fetch(new Request('http://server/metrics', { headers }))).text()
    expect(metrics).toContain(`tessera_units_total{endpoint="${endpoint}"} 2\n`)
    expect(metrics).toContain(`tessera_http_requests_total{route="${path}",method="POST",status="200"} 1\n`)
  })

  it('stops when the client hangs up and does not come back, and charges nothing', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const server = serveOne({ prepaid: '1' })
    stub.hold()
    const controller = new AbortController()
    const answered = server.fetch(post(body, { path, headers, signal: controller.signal }))
    await vi.waitUntil(() => stub.counts.running === 1, { timeout: 120_000 })
    controller.abort()
    expect((await answered).status).toBe(499)
    await vi.advanceTimersByTimeAsync(10_000)
    vi.useRealTimers()
    expect(stub.counts).toMatchObject({ aborted: 1, running: 0 })
    expect(await server.usage('me')).toEqual([])
  })

  it('names the client that the engine is fair to', async () => {
    await serveOne({}).fetch(post(body, { path, headers }))
    expect(stub.clients).toEqual(['me'])
  })
})
