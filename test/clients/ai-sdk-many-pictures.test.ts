import { rm } from 'node:fs/promises'
import { generateImage } from 'ai'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTessera, type TesseraProvider } from '../../src/ai-sdk/index.ts'
import { createStubEngine } from '../../src/http/test-support/stub-engine.ts'
import { AbortedError, createEngine, type Engine } from '../../src/index.ts'
import { writeTinyModels } from '../helpers/tiny-server.ts'

const ONE_STEP = { tessera: { steps: 1 } }

let models: Readonly<Record<string, string>>
let engine: Engine
let tessera: TesseraProvider
beforeAll(async () => {
  // Warnings are looked at; the AI SDK would print them as well.
  globalThis.AI_SDK_LOG_WARNINGS = false
  models = await writeTinyModels(true)
  engine = await createEngine({ backend: 'cpu', threads: 1, worker: false, models })
  tessera = createTessera({ engine })
})
afterAll(async () => {
  await engine?.dispose()
  for (const folder of Object.values(models)) await rm(folder, { recursive: true })
})

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
      stub.gate = new Promise(() => {})
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
