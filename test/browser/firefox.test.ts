import { readFile, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
// @ts-expect-error: a program in plain JavaScript, as users copy it
import { FOLDERS, startServer } from '../../examples/browser/serve.mjs'
import { bundleWeb } from '../../scripts/bundle-web.ts'
import { sharpCodec } from '../../src/images/picture/sharp-codec.ts'
import { createEngine, type Engine } from '../../src/index.ts'
import type { canvasCodec } from '../../src/web/canvas-codec.ts'
import type * as Library from '../../src/web/index.ts'
import { type ImageBundle, materializeBundle } from '../helpers/image-bundle.ts'
import { pictureDifference } from '../helpers/picture-difference.ts'
import { drawPicture } from '../helpers/pseudo-random.ts'
import { findFirefox, type Firefox, type FirefoxPage, launchFirefox } from './firefox.ts'
import { expectSameAnswers } from './same-answers.ts'

/** What pages load, by a name that is not resolved here. */
interface Loaded {
  readonly tessera: typeof Library
  readonly codec: { readonly canvasCodec: typeof canvasCodec }
}

const executablePath = findFirefox()
const OUT = fileURLToPath(new URL(`../../out/firefox-${process.pid}`, import.meta.url))
const DRAWING = { prompt: 'a red apple', size: '64x48', seed: 7 } as const
const SAMPLING = { steps: 1, seed: 7 } as const
/** Of 255, in what decoders of JPEG and profiles of colour differ by. */
const LEVELS = 2

/** Newer Firefoxes have no `VideoFrame` in it, so that there is no way to the pixels of sources. */
const RESISTING = 'a window that resists fingerprinting, which changes all of them'
const PROTECTIONS = [
  ['a window', {}],
  ['a private window, which changes some pixels that pages read', { 'browser.privatebrowsing.autostart': true }],
  [RESISTING, { 'privacy.resistFingerprinting': true }],
] as const

describe.skipIf(executablePath === undefined)('tessera-onnx/web in Firefox (set FIREFOX to its path)', () => {
  let server: { readonly url: string; close(): Promise<void> }
  let bundle: ImageBundle
  let node: Engine
  let request: Parameters<Engine['decide']>[0]
  let photo: Buffer
  beforeAll(async () => {
    bundle = await materializeBundle('klein-distilled')
    await bundleWeb(OUT)
    const codec = { entryPoints: ['src/web/canvas-codec.ts'], outfile: `${OUT}/codec.js` }
    await build({ ...codec, bundle: true, format: 'esm', target: 'es2023' })
    server = await startServer({ folders: { '/tiny/': bundle.folder, ...FOLDERS, '/tessera/': OUT } })
    // In float32, as browsers compute.
    const models = { 'alpha-image-turbo': bundle.folder, 'beta-klein-4b': bundle.folder }
    node = await createEngine({ backend: 'wasm', threads: 1, models })
    const read = async (name: string) =>
      JSON.parse(await readFile(new URL(`../../examples/${name}.json`, import.meta.url), 'utf8'))
    request = { state: await read('ticket'), questions: await read('questions') }
    const { data, ...size } = drawPicture('photo', 80, 64, 3)
    photo = await sharp(data, { raw: size }).withMetadata({ orientation: 6 }).png().toBuffer()
  })
  afterAll(async () => {
    await node?.dispose()
    await server?.close()
    await bundle?.remove()
    await rm(OUT, { recursive: true, force: true })
  })

  describe.each(PROTECTIONS)('in %s', (name, preferences) => {
    let firefox: Firefox
    let page: FirefoxPage
    beforeAll(async () => {
      firefox = await launchFirefox(executablePath!, preferences)
      page = await firefox.open(`${server.url}page.css`)
      await page.run(
        `async (paths) => {
          const [tessera, codec] = await Promise.all(paths.map((path) => import(path)))
          Object.assign(globalThis, { tessera, codec })
        }`,
        ['/tessera/index.js', '/tessera/codec.js'],
      )
    })
    afterAll(() => firefox?.close())

    it.runIf(name === 'a window')('decides as Node does and draws what Node draws', async () => {
      const call = [request, DRAWING, SAMPLING, photo.toString('base64')] as const
      // In the thread of a page that is driven WebAssembly is slower many times.
      const got = await page.run(async ([request, drawing, sampling, image]) => {
        const { tessera } = globalThis as unknown as Loaded
        const models = { 'alpha-image-turbo': '/tiny', 'beta-klein-4b': '/tiny' }
        const urls = { runtimeUrl: '/onnxruntime/', modelsUrl: '/models/', models }
        const engine = await tessera.createEngine({ ...urls, threads: 1 })
        const stages = new Set<string>()
        const { answers } = await engine.decide(request, { onProgress: ({ stage }) => stages.add(stage) })
        const drawn = await engine.generateImage(drawing, { steps: 1 })
        const file = new File([Uint8Array.from(atob(image), (character) => character.charCodeAt(0))], 'photo.png')
        const edited = await engine.editImage({ prompt: 'make it green', image: file }, sampling)
        const info = engine.backendInfo()
        await engine.dispose()
        return { answers, drawn: drawn.data[0]!, edited: edited.data[0]!, stages: [...stages], info }
      }, call)
      const tried = [{ name: 'webgpu', reason: 'this browser has no WebGPU here' }]
      expect(got.info).toMatchObject({ backend: 'wasm', threads: 1, worker: true, tried })
      expect(got.stages).toEqual(['downloading', 'reading'])
      const wanted = await node.decide(request)
      expectSameAnswers({ ...wanted, answers: got.answers }, wanted)
      const drawn = await node.generateImage(DRAWING, { steps: 1 })
      await expectSamePicture(got.drawn.b64_json, drawn.data[0]!.b64_json)
      const edited = await node.editImage({ prompt: 'make it green', image: photo }, SAMPLING)
      await expectSamePicture(got.edited.b64_json, edited.data[0]!.b64_json)
    })

    it.each(['jpeg', 'png', 'webp'] as const)(
      'turns %s upright as Node does, and refuses what is cut off',
      async (format) => {
        if (name === RESISTING && !(await page.run(async () => 'VideoFrame' in globalThis, null))) {
          expect(await refuse(page, photo)).toContain('turn its protection against fingerprinting off')
          return
        }
        const { data, ...size } = drawPicture('turned', 24, 17, 3)
        for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8]) {
          const file = await sharp(data, { raw: size })
            .resize(96, 68, { kernel: 'nearest' })
            .withMetadata({ orientation })
            .toFormat(format, { quality: 100, lossless: true, chromaSubsampling: '4:4:4' } as object)
            .toBuffer()
          const expected = await sharpCodec.decode(file)
          const decoded = await decode(page, file)
          expect([decoded?.width, decoded?.height]).toEqual([expected.width, expected.height])
          expect(pictureDifference(decoded!.data, expected.data).most).toBeLessThanOrEqual(LEVELS)
          expect(await decode(page, file.subarray(0, file.length * 0.6))).toBeUndefined()
        }
      },
    )

    it.runIf(name === 'a window')('says what it cannot do', async () => {
      const decide = async (options: object) =>
        page.run(async (options) => {
          const { tessera } = globalThis as unknown as Loaded
          try {
            const urls = { runtimeUrl: '/onnxruntime/', modelsUrl: '/models/' }
            const engine = await tessera.createEngine({ ...urls, threads: 1, ...options })
            const late = { type: 'noul', instructions: 'Is it late?' } as const
            const { answers } = await engine
              .decide({ state: 'It is late.', questions: { late } })
              .finally(() => engine.dispose())
            return { noul: answers.late.noul }
          } catch (error) {
            return (error as { toJSON(): object }).toJSON()
          }
        }, options)
      expect(await decide({})).toEqual({ noul: expect.any(Number) })
      expect(await decide({ backend: 'webgpu' })).toMatchObject({
        code: 'backend_unavailable',
        message: expect.stringMatching(/this browser has no WebGPU here.*use backend 'wasm'/),
      })
      expect(await decide({ runtimeUrl: '/nowhere/' })).toMatchObject({ code: 'backend_unavailable' })
      expect(await decide({ modelsUrl: 'http://127.0.0.1:9/' })).toMatchObject({ code: 'download_failed' })
    })

    it('loads nothing from elsewhere', () => {
      expect(page.faults.filter((fault) => !fault.includes('/nowhere/') && !fault.includes('127.0.0.1:9'))).toEqual([])
    })
  })
})

interface Decoded {
  readonly width: number
  readonly height: number
  readonly data: readonly number[]
}

/** Undefined of a file that is refused. */
function decode(page: FirefoxPage, file: Buffer): Promise<Decoded | undefined> {
  return page.run(async (base64) => {
    const { codec } = globalThis as unknown as Loaded
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    const picture = await codec.canvasCodec.decode(bytes).catch(() => undefined)
    return picture && { ...picture, data: Array.from(picture.data) }
  }, file.toString('base64'))
}

/** What it says of a file that it does not decode. */
function refuse(page: FirefoxPage, file: Buffer): Promise<string> {
  return page.run(async (base64) => {
    const { codec } = globalThis as unknown as Loaded
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    return codec.canvasCodec.decode(bytes).then(() => 'decoded', String)
  }, file.toString('base64'))
}

async function expectSamePicture(got: string, wanted: string): Promise<void> {
  const [a, b] = await Promise.all([got, wanted].map((file) => sharpCodec.decode(Buffer.from(file, 'base64'))))
  expect([a!.width, a!.height]).toEqual([b!.width, b!.height])
  expect(pictureDifference(a!.data, b!.data).most).toBeLessThanOrEqual(LEVELS)
}
