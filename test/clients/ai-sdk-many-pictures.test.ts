import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { generateImage } from 'ai'
import sharp from 'sharp'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createTessera } from '../../src/ai-sdk/index.ts'
import { createStubEngine } from '../../src/http/test-support/stub-engine.ts'
import { AbortedError, createEngine, type Engine } from '../../src/index.ts'
import { writeTinyModels } from '../helpers/tiny-server.ts'

const ONE_STEP = { tessera: { steps: 1 } }

// Warnings are looked at; the AI SDK would print them as well.
globalThis.AI_SDK_LOG_WARNINGS = false
const models = await writeTinyModels(true)
const engine = await createEngine({ backend: 'cpu', threads: 1, worker: false, models })
afterAll(() => engine.dispose())
const tessera = createTessera({ engine })

describe('generateImage of ai for more pictures than a request has', () => {
  it.each([7, Number.MAX_SAFE_INTEGER - 1])(
    'draws picture k of a call from seed + k, also beyond 4: %i',
    async (seed) => {
      const draw = (n: number, from: number) =>
        generateImage({
          model: tessera.image('alpha-image-turbo'),
          prompt: 'x',
          size: '64x64',
          n,
          seed: from,
          providerOptions: ONE_STEP,
        })
      const { images, responses, warnings } = await draw(6, seed)
      const alone = Array.from({ length: 6 }, async (_, k) => {
        const { image } = await draw(1, Number(BigInt.asUintN(32, BigInt(seed) + BigInt(k))))
        return image.base64
      })
      expect(images.map(({ base64 }) => base64)).toEqual(await Promise.all(alone))
      expect([responses.length, warnings]).toEqual([1, []])
    },
  )

  it('asks for at most 4 pictures at a time, and says what all warn of once', async () => {
    const stub = createStubEngine()
    stub.warnings = [{ code: 'unknown_words', path: 'prompt', message: 'prompt: this small model knows no owls' }]
    const call = { model: createTessera({ engine: stub.engine }).image('x'), prompt: 'owls', n: 9 }
    const { images, warnings } = await generateImage({ ...call, seed: -2 })
    expect(images).toHaveLength(9)
    expect(warnings).toEqual([{ type: 'other', message: 'prompt: this small model knows no owls' }])
    await generateImage(call)
    expect(stub.drawn).toMatchObject([
      ...[-2, 2, 6].map((seed, i) => ({ seed, n: [4, 4, 1][i] })),
      ...[4, 4, 1].map((n) => ({ seed: undefined, n })),
    ])
  })

  it('asks for no more pictures once it is stopped', async () => {
    const stub = createStubEngine()
    const stop = new AbortController()
    const generate: Engine['generateImage'] = async (request, call) => {
      const answer = await stub.engine.generateImage(request, call)
      stub.hold()
      stop.abort()
      return answer
    }
    const drawn = generateImage({
      model: createTessera({ engine: { ...stub.engine, generateImage: generate } }).image('x'),
      prompt: 'x',
      n: 9,
      abortSignal: stop.signal,
    })
    await expect(drawn).rejects.toBeInstanceOf(AbortedError)
    expect([stub.drawn.length, stub.counts.aborted]).toEqual([2, 1])
  })

  it('asks a service again for the part that failed alone, which would charge the others once more', async () => {
    const { posts, drawn } = await drawOver([200, 529, 200], 8)
    expect((await drawn).images).toHaveLength(8)
    expect(posts).toEqual([4, 4, 4])
  })

  it('ends with what a later part fails by again and again, and draws none twice', async () => {
    const { posts, drawn } = await drawOver([200, 503, 429, 529, 200], 6)
    await expect(drawn).rejects.toMatchObject({ statusCode: 529, isRetryable: false, message: 'no room' })
    expect(posts).toEqual([4, 2, 2, 2])
  })

  it('does not wait for a service that asks for more than a minute', async () => {
    const { posts, drawn } = await drawOver([200, 429, 200], 8, '61')
    await expect(drawn).rejects.toMatchObject({ statusCode: 429, responseHeaders: { 'retry-after': '61' } })
    expect(posts).toEqual([4, 4])
  })

  it('stops waiting for another try with its signal', async () => {
    const stop = new AbortController()
    const { posts, drawn } = await drawOver([200, 529, 200], 8, '50', stop.signal)
    const ended = drawn.catch((error: unknown) => error)
    await vi.waitUntil(() => posts.length === 2)
    stop.abort(new Error('enough'))
    expect(await ended).toMatchObject({ message: 'enough' })
    expect(posts).toEqual([4, 4])
  })

  it('edits so, too', async () => {
    const source = await sharp({ create: { width: 96, height: 64, channels: 3, background: '#c85050' } })
      .png()
      .toBuffer()
    const edit = (n: number, seed: number) =>
      generateImage({
        model: tessera.image('beta-klein-4b'),
        prompt: { text: 'x', images: [source] },
        n,
        seed,
        providerOptions: ONE_STEP,
      })
    const edited = await edit(5, 3)
    expect(edited.images).toHaveLength(5)
    expect(edited.images[4]!.base64).toBe((await edit(1, 7)).image.base64)
  })
})

/** Draws by a service that answers its requests with these statuses in turn; `posts` has how many pictures each asked for. */
async function drawOver(statuses: readonly number[], n: number, retryAfter = '0', abortSignal?: AbortSignal) {
  const posts: number[] = []
  const server = createServer(async (request, response) => {
    const status = statuses[posts.length]!
    const asked = ((await json(request)) as { n: number }).n
    posts.push(asked)
    const headers = { 'content-type': 'application/json', ...(status !== 200 && { 'retry-after': retryAfter }) }
    const picture = { b64_json: 'iVBORw0KGgo=' }
    const refused = { status: 'error', error_type: 'overloaded', message: 'no room' }
    response
      .writeHead(status, headers)
      .end(
        JSON.stringify(status === 200 ? { created: 1, data: Array.from({ length: asked }, () => picture) } : refused),
      )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const model = createTessera({ baseURL: `http://127.0.0.1:${port}` }).image('x')
  const drawn = generateImage({ model, prompt: 'x', n, ...(abortSignal && { abortSignal }) })
  return { posts, drawn }
}
