import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEngine, type DecisionResponse, type Engine } from '../../src/index.ts'
import { materializeBundle, type ImageBundle } from '../helpers/image-bundle.ts'
import { type ExampleSite, hasChromium, startExampleSite } from './browser-page.ts'
import { expectSameAnswers } from './same-answers.ts'

/** The engine of the page. */
declare global {
  var engine: Engine
}

const EXAMPLES = new URL('../../examples/', import.meta.url)
const read = async (name: string) => JSON.parse(await readFile(new URL(`${name}.json`, EXAMPLES), 'utf8'))
const TINY = { 'alpha-image-turbo': '/tiny', 'beta-klein-4b': '/tiny' }
const DRAWING = { prompt: 'a red apple', size: '64x48', seed: 7 }

/** A device in software compiles its kernels for the processor: seconds on a free machine, minutes on a busy one. */
const PATIENCE = 600_000
/** Rounding of 8-bit values. */
const LEVELS = 2

describe.skipIf(!hasChromium)('tessera-onnx/web in Chromium (set CHROMIUM to its path where it is not found)', () => {
  let site: ExampleSite
  let bundle: ImageBundle
  let node: Engine
  let nodeFloat: Engine
  let source: string
  beforeAll(async () => {
    bundle = await materializeBundle('klein-distilled')
    // As the embedded model, which makes pictures of a few sizes and resamples them.
    const manifest = join(bundle.folder, 'tessera.json')
    const known = JSON.parse(await readFile(manifest, 'utf8')) as object
    await writeFile(
      manifest,
      JSON.stringify({
        ...known,
        native_sizes: [
          [64, 48],
          [80, 64],
          [64, 64],
        ],
      }),
    )
    site = await startExampleSite({ '/tiny/': bundle.folder, '/models/image-mini/': bundle.folder })
    const models = { 'alpha-image-turbo': bundle.folder, 'beta-klein-4b': bundle.folder }
    node = await createEngine({ backend: 'cpu', threads: 1, models })
    // Processors may compute decide-mini in integers; this one computes it in float32, as browsers do.
    nodeFloat = await createEngine({ backend: 'wasm', threads: 1, models })
    const drawn = sharp({ create: { width: 80, height: 64, channels: 3, background: '#c04020' } })
      .png()
      .toBuffer()
    source = `data:image/png;base64,${(await drawn).toString('base64')}`
  })
  afterAll(async () => {
    await node?.dispose()
    await nodeFloat?.dispose()
    await site?.close()
    await bundle?.remove()
  })

  describe.each([
    { backend: 'wasm', verbs: ['generateImage', 'editImage'] },
    // A change has every part of a picture in it, and a device in software compiles kernels for each size anew.
    { backend: 'webgpu', verbs: ['editImage'] },
  ] as const)('on $backend', ({ backend, verbs }) => {
    let page: Page
    let faults: string[]
    beforeAll(async () => {
      ;({ page, faults } = await site.openLibrary())
      await page.evaluate(
        async ({ backend, models }) => {
          const urls = { runtimeUrl: '/onnxruntime/', modelsUrl: '/models', models }
          globalThis.engine = await tessera.createEngine({ backend, ...urls, threads: 2 })
        },
        { backend, models: TINY },
      )
    }, PATIENCE)
    afterAll(async () => {
      await page?.evaluate(() => engine.dispose())
      await page?.close()
    })

    it('runs in a worker, on what was tested', async () => {
      const info = await page.evaluate(() => engine.backendInfo())
      expect(await page.evaluate(() => crossOriginIsolated)).toBe(true)
      expect(info).toMatchObject({
        backend,
        worker: true,
        threads: 2,
        runtime: expect.stringMatching(/^onnxruntime-web 1/),
      })
      expect(info.selfTest !== undefined).toBe(backend === 'webgpu')
    })

    it(
      'decides as Node does, and tells of the download',
      async () => {
        const request = { state: await read('ticket'), questions: await read('questions') }
        const { response, stages } = await page.evaluate(async (request) => {
          const stages = new Set<string>()
          const response = await engine.decide(request, { onProgress: ({ stage }) => stages.add(stage) })
          return { response, stages: [...stages] }
        }, request)
        expectSameAnswers(response as DecisionResponse, await nodeFloat.decide(request))
        expect(stages).toEqual(['downloading', 'reading'])
      },
      PATIENCE,
    )

    it.each(verbs)(
      'does %s as Node does',
      async (verb) => {
        const [request, options] =
          verb === 'editImage'
            ? [
                { prompt: 'make it green', image: source },
                { steps: 1, seed: 7 },
              ]
            : [DRAWING, { steps: 1 }]
        const call = [verb, request, options] as const
        const { data } = await page.evaluate(([verb, ...call]) => engine[verb](...call), call)
        await expectSamePicture(data, (await node[verb](request, options)).data)
      },
      PATIENCE,
    )

    it('loads nothing from elsewhere and keeps to the policy of the page', () => {
      expect(faults).toEqual([])
    })
  })

  it('shows all three on the example page', async () => {
    const { page, faults } = await site.openExample('?backend=wasm')
    await page.getByText('Runs on wasm').waitFor()
    await page.getByRole('button', { name: 'Decide' }).click()
    await page.getByText('"urgent"').waitFor()
    await page.getByRole('button', { name: 'Draw' }).click()
    await page.getByRole('img', { name: 'a 3d apple' }).waitFor()
    const drawn = await page.locator('#picture').getAttribute('src')
    await page.getByRole('button', { name: 'Change the picture' }).click()
    await page.waitForFunction((before) => document.querySelector<HTMLImageElement>('#picture')!.src !== before, drawn)
    expect(faults).toEqual([])
    await page.close()
  })

  it('takes WebAssembly by itself where WebGPU is only there in software, and says why', async () => {
    const { page } = await site.openLibrary()
    const info = await page.evaluate(async () => {
      const engine = await tessera.createEngine({ runtimeUrl: '/onnxruntime' })
      await engine.dispose()
      return engine.backendInfo()
    })
    expect(info).toMatchObject({ backend: 'wasm', threads: expect.any(Number), tried: [{ name: 'webgpu' }] })
    await page.close()
  })

  it('needs no network for a model that it has kept', async () => {
    const { page } = await site.openLibrary()
    const decide = () =>
      page.evaluate(async () => {
        const engine = await tessera.createEngine({
          backend: 'wasm',
          runtimeUrl: '/onnxruntime/',
          modelsUrl: '/models/',
        })
        const late = { type: 'noul', instructions: 'Is it late?' } as const
        const { answers } = await engine.decide({ state: 'It is late.', questions: { late } })
        await engine.dispose()
        return answers
      })
    const first = await decide()
    await page.context().route('**/models/**', (route) => route.abort())
    expect(await decide()).toEqual(first)
    await page.context().unroute('**/models/**')
    await page.close()
  })

  it('says so where the browser starts no threads or no worker, instead of waiting for them', async () => {
    const { page } = await site.openLibrary()
    const refused = await page.evaluate(async () => {
      const policy = Object.assign(document.createElement('meta'), { content: "worker-src 'none'" })
      policy.httpEquiv = 'Content-Security-Policy'
      document.head.append(policy)
      const options = { backend: 'wasm', runtimeUrl: '/onnxruntime/', threads: 2 } as const
      const start = async (worker: boolean) => {
        const error: unknown = await tessera.createEngine({ ...options, worker }).catch((error: unknown) => error)
        return (error as { toJSON(): object }).toJSON()
      }
      return { threads: await start(false), worker: await start(true) }
    })
    const threads = /starts no threads.*ort-wasm-simd-threaded\.mjs.*Cross-Origin-Embedder-Policy/
    expect(refused).toMatchObject({
      threads: { code: 'backend_unavailable', message: expect.stringMatching(threads) },
      worker: { code: 'internal_error', message: expect.stringMatching(/could not run the worker.*worker-src/) },
    })
    await page.close()
  })

  it.each<[object, object]>([
    [{ runtimeUrl: 7 }, { code: 'invalid_request', message: 'runtimeUrl: must be a URL, got 7' }],
    [
      { backend: 'cuda' },
      {
        code: 'invalid_request',
        message: "backend: must be one of auto, webgpu, wasm, got 'cuda'",
      },
    ],
    [{ runtimeUrl: '/nowhere/', backend: 'wasm' }, { code: 'backend_unavailable' }],
    [{ backend: 'wasm' }, { code: 'model_not_found' }],
    [{ backend: 'wasm', models: { 'decide-latest': '/nowhere' } }, { code: 'model_not_found' }],
    [{ backend: 'wasm', models: { 'decide-latest': 'http://127.0.0.1:9/model' } }, { code: 'download_failed' }],
  ])('refuses %j with %j', async (options, error) => {
    const { page } = await site.openLibrary()
    const refused = await page.evaluate(async (options) => {
      let engine: Engine | undefined
      try {
        engine = await tessera.createEngine({ runtimeUrl: '/onnxruntime/', ...options })
        await engine.decide({ state: 'a', questions: { b: { type: 'noul', instructions: 'c' } } })
        return {}
      } catch (error) {
        return (error as { toJSON(): object }).toJSON()
      } finally {
        await engine?.dispose()
      }
    }, options)
    expect(refused).toMatchObject(error)
    await page.close()
  })
})

type Pictures = readonly { readonly b64_json: string }[]

async function expectSamePicture(got: Pictures, wanted: Pictures): Promise<void> {
  const [a, b] = await Promise.all(
    [got, wanted].map(([picture]) =>
      sharp(Buffer.from(picture!.b64_json, 'base64')).removeAlpha().raw().toBuffer({ resolveWithObject: true }),
    ),
  )
  expect({ ...a!.info }).toMatchObject({ width: b!.info.width, height: b!.info.height })
  expect(Math.max(...b!.data.map((level, i) => Math.abs(level - a!.data[i]!)))).toBeLessThanOrEqual(LEVELS)
}
