import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEngine, type DecisionResponse, type Engine } from '../../src/index.ts'
import { fixtureFolder } from '../helpers/language-model-fixture.ts'
import { type ExampleSite, hasChromium, startExampleSite } from './browser-page.ts'
import { expectSameAnswers } from './same-answers.ts'

/** The engine of the page. */
declare global {
  var engine: Engine
}

const FOLDERS = {
  tree: fixtureFolder('bert-tree'),
  nano: fixtureFolder('opendecider-nano'),
  laya: fixtureFolder('laya'),
}
const QUESTIONS = {
  bug: { type: 'noul', instructions: 'is this a bug?' },
  team: { type: 'choice', instructions: 'which team?', criteria: { app: 'crashes', other: null, sales: 'prices' } },
  mood: { type: 'score', instructions: 'how cross is the writer?', criteria: ['calm', 'annoyed', 'furious'] },
} as const

/** A device in software compiles its kernels for the processor: seconds on a free machine, minutes on a busy one. */
const PATIENCE = 600_000

describe.skipIf(!hasChromium)('decision models on encoders in Chromium', () => {
  let site: ExampleSite
  let node: Engine
  beforeAll(async () => {
    site = await startExampleSite(Object.fromEntries(Object.entries(FOLDERS).map(([name, at]) => [`/${name}/`, at])))
    node = await createEngine({ backend: 'cpu', threads: 1, models: FOLDERS })
  })
  afterAll(async () => {
    await node?.dispose()
    await site?.close()
  })

  it.each(['wasm', 'webgpu'] as const)(
    'answer as in Node on %s',
    async (backend) => {
      const { page, faults } = await site.openLibrary()
      const models = Object.fromEntries(Object.keys(FOLDERS).map((name) => [name, `/${name}`]))
      await page.evaluate(
        async ({ backend, models }) => {
          globalThis.engine = await tessera.createEngine({ backend, runtimeUrl: '/onnxruntime/', models, threads: 2 })
        },
        { backend, models },
      )
      // On WebGPU tests of the embedded model have the tree, which is of its kind.
      for (const [model, times] of [
        ...(backend === 'wasm' ? ([['tree', 60]] as const) : []),
        ['nano', 5],
        ['laya', 5],
      ] as const) {
        const request = { model, state: 'the app crashes when i press save. '.repeat(times), questions: QUESTIONS }
        const response = await page.evaluate((request) => engine.decide(request), request)
        expectSameAnswers(response as DecisionResponse, await node.decide(request))
      }
      await page.evaluate(() => engine.dispose())
      await page.close()
      expect(faults).toEqual([])
    },
    PATIENCE,
  )
})
