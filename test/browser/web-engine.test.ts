import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEngine, type DecisionResponse, type Engine } from '../../src/index.ts'
import { materializeBundle, type ImageBundle } from '../helpers/image-bundle.ts'
import { type ExampleSite, hasChromium, startExampleSite } from '../support/browser-page.ts'

const read = async (name: string) => JSON.parse(await readFile(new URL(`../../examples/${name}.json`, import.meta.url), 'utf8'))

/** A device in software compiles kernels for the processor, which takes it most of a minute when that is busy. */
const PATIENCE = 240_000

describe.skipIf(!hasChromium)('tessera-onnx/web in Chromium (set CHROMIUM to its path where it is not found)', () => {
  let site: ExampleSite
  let bundle: ImageBundle
  let node: Engine
  beforeAll(async () => {
    bundle = await materializeBundle('klein-distilled')
    site = await startExampleSite({ '/tiny/': bundle.folder })
    node = await createEngine({ backend: 'cpu', threads: 1, models: { tiny: bundle.folder } })
  })
  afterAll(async () => {
    await node?.dispose()
    await site?.close()
    await bundle?.remove()
  })

  it.each(['wasm', 'webgpu'] as const)('decides on %s as Node does, with nothing from elsewhere and no breach of the policy', async (backend) => {
    const request = { state: await read('ticket'), questions: await read('questions') }
    const { page, faults } = await site.open()
    const { response, info, progress } = await page.evaluate(async ({ backend, request }) => {
      const engine = await tessera.createEngine({ backend, runtimeUrl: '/onnxruntime/', modelsUrl: '/models' })
      const progress: { stage: string; done: number; total: number }[] = []
      const response = await engine.decide(request, { onProgress: (at) => progress.push(at) })
      const info = engine.backendInfo()
      await engine.dispose()
      return { response, info, progress }
    }, { backend, request })
    expect(info).toMatchObject({ backend, worker: true, runtime: expect.stringMatching(/^onnxruntime-web 1/) })
    expectSameAnswers(response as DecisionResponse, await node.decide(request))
    const stages = [...new Set(progress.map(({ stage }) => stage))]
    expect(stages).toEqual(['downloading', 'reading'])
    expect(faults).toEqual([])
    await page.close()
  }, PATIENCE)
})

function expectSameAnswers(got: DecisionResponse, wanted: DecisionResponse): void {
  expect(got.model).toBe(wanted.model)
  expect(got.usage).toEqual(wanted.usage)
  const [gotNumbers, wantedNumbers] = [listNumbers(got.answers), listNumbers(wanted.answers)]
  expect(wantedNumbers.length).toBeGreaterThan(0)
  expect(gotNumbers.length).toBe(wantedNumbers.length)
  for (const [i, value] of wantedNumbers.entries()) expect(Math.abs(value - gotNumbers[i]!)).toBeLessThan(1e-3)
}

function listNumbers(value: unknown): number[] {
  if (typeof value === 'number') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listNumbers) : []
}
