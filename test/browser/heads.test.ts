import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeHeadedCalibration, TEAM, URGENT } from '../../src/engine/test-support/headed-calibration.ts'
import { createEngine, type DecisionResponse } from '../../src/index.ts'
import { type ExampleSite, hasChromium, startExampleSite } from './browser-page.ts'
import { expectSameAnswers } from './same-answers.ts'

const REQUEST = { state: 'The shop is down. Please call me today.', questions: { urgent: URGENT, team: TEAM } }

describe.skipIf(!hasChromium)('heads of questions in Chromium', () => {
  let site: ExampleSite
  beforeAll(async () => {
    site = await startExampleSite()
  })
  afterAll(() => site?.close())

  // A head is applied beside the backend, to what every one of them gives out; WebGPU in software would take minutes.
  it('are added to the answers as in Node', async () => {
    // In float32, as browsers compute.
    await using plain = await createEngine({ backend: 'wasm', threads: 1 })
    const calibration = await makeHeadedCalibration(plain)
    await using headed = await createEngine({ backend: 'wasm', threads: 1, calibration })
    const { page, faults } = await site.openLibrary()
    const response = await page.evaluate(
      async ([request, options]) => {
        const urls = { runtimeUrl: '/onnxruntime/', modelsUrl: '/models' }
        const engine = await tessera.createEngine({ ...options, ...urls, threads: 2 })
        const response = await engine.decide(request)
        await engine.dispose()
        return response
      },
      [REQUEST, { backend: 'wasm', calibration }] as const,
    )
    const expected = await headed.decide(REQUEST)
    expectSameAnswers(response as DecisionResponse, expected)
    expect(expected.answers).not.toEqual((await plain.decide(REQUEST)).answers)
    expect(faults).toEqual([])
    await page.close()
  }, 600_000)
})
