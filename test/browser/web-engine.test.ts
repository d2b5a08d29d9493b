import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Engine } from '../../src/index.ts'
import { materializeBundle, type ImageBundle } from '../helpers/image-bundle.ts'
import { type ExampleSite, hasChromium, startExampleSite } from './browser-page.ts'

/** The engine of the page. */
declare global {
  var engine: Engine
}

describe.skipIf(!hasChromium)('tessera-onnx/web in Chromium (set CHROMIUM to its path where it is not found)', () => {
  let site: ExampleSite
  let bundle: ImageBundle
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
    site = await startExampleSite({ '/models/image-mini/': bundle.folder })
  })
  afterAll(async () => {
    await site?.close()
    await bundle?.remove()
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
