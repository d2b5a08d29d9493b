import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEngine, type DecisionResponse, type Engine } from '../../src/index.ts'
import { materializeBundle, type ImageBundle } from '../helpers/image-bundle.ts'
import { fixtureFolder } from '../helpers/language-model-fixture.ts'
import { pictureDifference } from '../helpers/picture-difference.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { type ExampleSite, hasChromium, startExampleSite } from './browser-page.ts'
import { copyNeededFiles } from './needed-files.ts'
import { expectSameAnswers } from './same-answers.ts'

/** The engine of the page. */
declare global {
  var engine: Engine
}

const EXAMPLES = new URL('../../examples/', import.meta.url)
const read = async (name: string) => JSON.parse(await readFile(new URL(`${name}.json`, EXAMPLES), 'utf8'))
const ENCODERS = {
  tree: fixtureFolder('bert-tree'),
  nano: fixtureFolder('opendecider-nano'),
  laya: fixtureFolder('laya'),
}
const ASKED = {
  bug: { type: 'noul', instructions: 'is this a bug?' },
  team: { type: 'choice', instructions: 'which team?', criteria: { app: 'crashes', other: null, sales: 'prices' } },
  mood: { type: 'score', instructions: 'how cross is the writer?', criteria: ['calm', 'annoyed', 'furious'] },
} as const
const DRAWING = { prompt: 'a red apple', size: '64x48', seed: 7 }

/** A device in software compiles its kernels for the processor: seconds on a free machine, minutes on a busy one. */
const PATIENCE = 600_000
/** Rounding of 8-bit values. */
const LEVELS = 2

describe.skipIf(!hasChromium)(
  'tessera-onnx/web answers in Chromium as Node does (set CHROMIUM to its path where it is not found)',
  () => {
    let site: ExampleSite
    const needed = temporaryFolder()
    let bundle: ImageBundle
    let node: Engine
    let nodeFloat: Engine
    let source: string
    beforeAll(async () => {
      bundle = await materializeBundle('klein-distilled')
      await copyNeededFiles(needed)
      site = await startExampleSite({
        '/needed/': needed,
        '/tiny/': bundle.folder,
        ...Object.fromEntries(Object.entries(ENCODERS).map(([name, folder]) => [`/${name}/`, folder])),
      })
      const models = { ...ENCODERS, 'beta-klein-4b': bundle.folder }
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
      {
        backend: 'wasm',
        encoders: [
          ['tree', 60],
          ['nano', 5],
          ['laya', 5],
        ],
        verbs: ['generateImage', 'editImage'],
      },
      // A change has every part of a picture in it, and the embedded model is a tree: a device in software compiles kernels for each size anew.
      {
        backend: 'webgpu',
        encoders: [
          ['nano', 5],
          ['laya', 5],
        ],
        verbs: ['editImage'],
      },
    ] as const)('on $backend', ({ backend, encoders, verbs }) => {
      let page: Page
      let faults: string[]
      beforeAll(async () => {
        ;({ page, faults } = await site.openLibrary())
        await page.evaluate(
          async ({ backend, models }) => {
            // The files that the guide names have to be enough.
            const urls = { runtimeUrl: `/needed/${backend}/`, modelsUrl: '/models', models }
            globalThis.engine = await tessera.createEngine({ backend, ...urls, threads: 2 })
          },
          { backend, models: { 'beta-klein-4b': '/tiny', tree: '/tree', nano: '/nano', laya: '/laya' } },
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

      it.each(encoders)(
        'decides with the encoder %s as Node does',
        async (model, times) => {
          const request = { model, state: 'the app crashes when i press save. '.repeat(times), questions: ASKED }
          const response = await page.evaluate((request) => engine.decide(request), request)
          expectSameAnswers(response as DecisionResponse, await node.decide(request))
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
  },
)

type Pictures = readonly { readonly b64_json: string }[]

async function expectSamePicture(got: Pictures, wanted: Pictures): Promise<void> {
  const [a, b] = await Promise.all(
    [got, wanted].map(([picture]) =>
      sharp(Buffer.from(picture!.b64_json, 'base64')).removeAlpha().raw().toBuffer({ resolveWithObject: true }),
    ),
  )
  expect({ ...a!.info }).toMatchObject({ width: b!.info.width, height: b!.info.height })
  expect(pictureDifference(a!.data, b!.data).most).toBeLessThanOrEqual(LEVELS)
}
