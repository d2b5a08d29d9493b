import { createServer as createHttpServer } from 'node:http'
import { APICallError, experimental_decide as decide, generateImage } from 'ai'
import sharp from 'sharp'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createTessera, type TesseraProviderOptions } from '../../src/ai-sdk/index.ts'
import { toNodeListener } from '../../src/http/adapters/node.ts'
import { createServer, type Server } from '../../src/http/index.ts'
import { listen, type Listening } from '../../src/http/test-support/listen.ts'
import { createStubEngine, type StubEngine } from '../../src/http/test-support/stub-engine.ts'
import { InvalidRequestError } from '../../src/index.ts'
import { startTinyServer } from '../helpers/tiny-server.ts'

const questions = {
  urgent: { type: 'boolean', instructions: 'Is it urgent?' },
  team: { type: 'choice', criteria: { billing: 'Money', tech: null } },
} as const
const inBackground = { tessera: { background: true } satisfies TesseraProviderOptions }

globalThis.AI_SDK_LOG_WARNINGS = false
const tiny = await startTinyServer({ images: true, keys: [{ key: 'right', id: 'me' }] })

describe('the models of a service', () => {
  const open = (apiKey = 'right') => createTessera({ baseURL: tiny.url, apiKey })
  const jobs = async () => {
    const response = await fetch(`${tiny.url}/v1/jobs`, { headers: { authorization: 'Bearer right' } })
    return ((await response.json()) as { data: { path: string; status: string }[] }).data
  }

  it.each(['/', '/v1', '/v1/'])('are found at an address that ends in %s', async (end) => {
    const model = createTessera({ baseURL: tiny.url + end, apiKey: 'right' }).decisionModel('decide-latest')
    expect((await decide({ model, state: 'x', questions })).response.modelId).toBe('tiny')
  })

  it('decide the same as jobs and at once', async () => {
    const ask = (providerOptions = {}) =>
      decide({ model: open().decisionModel('decide-latest'), state: 'Charged twice', questions, providerOptions })
    const plain = await ask()
    expect(await jobs()).toEqual([])
    const job = await ask(inBackground)
    expect(job.answers).toEqual(plain.answers)
    expect([job.usage, job.warnings, job.response.modelId]).toEqual([plain.usage, [], 'tiny'])
    expect(await jobs()).toMatchObject([{ path: '/v1/systemone', status: 'succeeded' }])
  })

  it('draw and edit the same as jobs and at once, with all that a call says', async () => {
    const source = await sharp({ create: { width: 96, height: 64, channels: 3, background: '#c33' } })
      .png()
      .toBuffer()
    const draw = (options: TesseraProviderOptions) =>
      generateImage({
        model: open().image('alpha-image-turbo'),
        prompt: 'x',
        size: '64x48',
        seed: 1,
        providerOptions: { tessera: { ...options } },
      })
    const edit = (options: TesseraProviderOptions) =>
      generateImage({
        model: open().image('beta-klein-4b'),
        prompt: { text: 'x', images: [source], mask: source },
        seed: 3,
        providerOptions: { tessera: { strength: 0.7, ...options } },
      })
    for (const make of [draw, edit]) {
      const plain = await make({ steps: 2 })
      const job = await make({ steps: 2, background: true })
      expect(job.image.base64).toBe(plain.image.base64)
      expect(job.warnings).toEqual([])
      expect((await make({ steps: 1, background: true })).image.base64).not.toBe(plain.image.base64)
    }
  })

  it('refuse with the status and the field, and nothing of the request', async () => {
    for (const tessera of [{}, { background: true }]) {
      const ask = (apiKey: string, state: string) =>
        decide({
          model: open(apiKey).decisionModel('decide-latest'),
          state,
          questions,
          providerOptions: { tessera },
        }).catch((thrown: unknown) => thrown)
      expect(await ask('wrong', 'x')).toMatchObject({ statusCode: 401, isRetryable: false })
      const long = await ask('right', 'CANARY'.repeat(40_000))
      expect(long).toMatchObject({ statusCode: 422, isRetryable: false, message: expect.stringMatching(/^state: /) })
      expect(JSON.stringify(long)).not.toContain('CANARY')
    }
  })
})

describe('a call of the provider', () => {
  let stub: StubEngine
  let server: Server
  let listening: Listening
  let open = () => {}
  const start = async () => {
    stub = createStubEngine()
    open = stub.hold()
    server = createServer({ engine: stub.engine, keys: [{ key: 'k', id: 'me', prepaid: '1' }] })
    listening = await listen(toNodeListener(server))
    return createTessera({ baseURL: listening.url, apiKey: 'k' })
  }
  afterEach(async () => {
    open()
    await listening.close()
    await server.close()
  })
  const list = async () => {
    const response = await fetch(`${listening.url}/v1/jobs`, { headers: { authorization: 'Bearer k' } })
    return ((await response.json()) as { data: { id: string; status: string }[] }).data
  }
  const draw = (
    tessera: ReturnType<typeof createTessera>,
    settings: Pick<Parameters<typeof generateImage>[0], 'abortSignal' | 'providerOptions'> = {},
  ) =>
    generateImage({ model: tessera.image('x'), prompt: 'x', size: '64x64', providerOptions: inBackground, ...settings })

  it('that is a job is cancelled by its signal, and not charged', async () => {
    const tessera = await start()
    const controller = new AbortController()
    const drawn = draw(tessera, { abortSignal: controller.signal })
    drawn.catch(() => {})
    await vi.waitFor(() => expect(stub.counts.running).toBe(1))
    controller.abort(new Error('enough'))
    await expect(drawn).rejects.toThrow('enough')
    // The answer with its id may come after the signal, and the cancelling behind that.
    await expect.poll(() => stub.counts).toMatchObject({ aborted: 1, running: 0 })
    expect(await list()).toMatchObject([{ status: 'cancelled' }])
    expect(await server.usage('me')).toEqual([])
  })

  it('that is no job ends with its signal as well', async () => {
    const tessera = await start()
    const controller = new AbortController()
    const drawn = draw(tessera, { abortSignal: controller.signal, providerOptions: {} })
    drawn.catch(() => {})
    await vi.waitFor(() => expect(stub.counts.running).toBe(1))
    controller.abort(new Error('enough'))
    await expect(drawn).rejects.toThrow('enough')
    expect(await list()).toEqual([])
  })

  it('that is a job outlives a service that cannot be reached for a while, and is made and charged once', async () => {
    const tessera = await start()
    const drawn = draw(tessera)
    await vi.waitFor(() => expect(stub.counts.running).toBe(1))
    const { port } = listening
    await listening.close()
    open()
    await vi.waitFor(() => expect(stub.counts.running).toBe(0))
    const again = createHttpServer(toNodeListener(server))
    await new Promise<void>((resolve) => again.listen(port, '127.0.0.1', resolve))
    try {
      expect((await drawn).images).toHaveLength(1)
      expect(stub.drawn).toHaveLength(1)
      expect(await server.usage('me')).toMatchObject([{ requests: 1, units: 1 }])
    } finally {
      again.closeAllConnections()
      again.close()
    }
  })

  it.each([
    ['got half of an answer', () => new Response('{', { status: 202 })],
    ['got one from a proxy that had none', () => new Response('', { status: 502 })],
  ])('that %s to its start finds its job again, which is made and charged once', async (_, lose) => {
    await start()
    open()
    let requests = 0
    const losing = async (request: Request) => {
      const response = await server.fetch(request)
      return ++requests === 1 ? lose() : response
    }
    const behind = await listen(toNodeListener({ fetch: losing }))
    const tessera = createTessera({ baseURL: behind.url, apiKey: 'k' })
    try {
      expect((await draw(tessera)).images).toHaveLength(1)
    } finally {
      await behind.close()
    }
    expect(stub.drawn).toHaveLength(1)
    expect(await server.usage('me')).toMatchObject([{ requests: 1, units: 1 }])
  })

  it.each([true, false])('comes with what the service warns of, as a job: %s', async (background) => {
    const tessera = await start()
    open()
    const message = 'prompt: this small model does not know Zürich'
    stub.warnings = [{ code: 'unknown_words', path: 'prompt', message }]
    const { warnings } = await draw(tessera, { providerOptions: { tessera: { background } } })
    expect(warnings).toEqual([{ type: 'other', message }])
  })

  it('that is a job which another client cancels, or which fails, is an error with what the service says', async () => {
    const tessera = await start()
    const cancelled = draw(tessera).catch((thrown: unknown) => thrown)
    await vi.waitFor(() => expect(stub.counts.running).toBe(1))
    const [{ id } = { id: '' }] = await list()
    await fetch(`${listening.url}/v1/jobs/${id}`, { method: 'DELETE', headers: { authorization: 'Bearer k' } })
    expect(await cancelled).toMatchObject({ message: expect.stringContaining('cancelled by another client') })

    const failed = draw(tessera).catch((thrown: unknown) => thrown)
    await vi.waitFor(() => expect(stub.counts.running).toBe(1))
    stub.failure = new Error('SECRET')
    open()
    const error = await failed
    expect(APICallError.isInstance(error) && [error.statusCode, error.isRetryable]).toEqual([500, false])
    expect((error as Error).message).toContain('the server failed to answer')
  })
})

describe('createTessera', () => {
  it('refuses background for an engine in this process, before it is asked', async () => {
    const stub = createStubEngine()
    const tessera = createTessera({ engine: stub.engine })
    const asked = [
      decide({ model: tessera.decisionModel('x'), state: 'x', questions, providerOptions: inBackground }),
      generateImage({ model: tessera.image('x'), prompt: 'x', providerOptions: inBackground }),
    ]
    for (const each of asked) {
      await expect(each).rejects.toMatchObject({ code: 'invalid_request', path: 'background' })
      await expect(each).rejects.toThrow('baseURL')
    }
    const odd = generateImage({
      model: tessera.image('x'),
      prompt: 'x',
      providerOptions: { tessera: { background: 'yes' } },
    })
    await expect(odd).rejects.toThrow('background: must be true or false')
    expect(stub.clients).toEqual([])
  })

  it.each([
    [{ baseURL: 'localhost:8080' }, 'baseURL'],
    [{ apiKey: 'k' }, 'apiKey'],
    [{ baseURL: 'http://localhost:1', engine: createStubEngine().engine }, 'engine'],
  ])('refuses settings that cannot be: %j', (settings, path) => {
    expect(() => createTessera(settings)).toThrow(InvalidRequestError)
    expect(() => createTessera(settings)).toThrow(expect.objectContaining({ path }))
  })
})
