import type {
  Experimental_DecisionModelV4CallOptions as DecisionOptions,
  ImageModelV4CallOptions,
} from '@ai-sdk/provider'
import { expect, it } from 'vitest'
import { createStubEngine } from '../http/test-support/stub-engine.ts'
import { createTessera } from './index.ts'

const tessera = createTessera({ engine: createStubEngine().engine })

it('an image model warns of each option that it does not read', async () => {
  const options = { prompt: 'x', n: 1, providerOptions: { tessera: { steps: 2, step: 2, cfg: 1 }, other: { x: 1 } } }
  const { warnings } = await tessera.image('x').doGenerate(options as unknown as ImageModelV4CallOptions)
  expect(warnings).toEqual(
    ['step', 'cfg'].map((name) => ({
      type: 'unsupported',
      feature: `providerOptions.tessera.${name}`,
      details: 'only steps, guidance, negativePrompt, strength, control, background are read',
    })),
  )
})

it('an image model warns of what means something for an edit alone where there is no source', async () => {
  const mask = { type: 'file', mediaType: 'image/png', data: new Uint8Array() }
  const options = { prompt: 'x', n: 1, files: [], mask, providerOptions: { tessera: { strength: 0.5 } } }
  const { warnings } = await tessera.image('x').doGenerate(options as unknown as ImageModelV4CallOptions)
  expect(warnings).toEqual(
    ['mask', 'providerOptions.tessera.strength'].map((feature) => ({
      type: 'unsupported',
      feature,
      details: 'it is for edits: give a source in prompt.images',
    })),
  )
})

it('a decision model warns of each option that it does not read', async () => {
  const options = {
    state: [{ type: 'text', text: 'x' }],
    questions: { q: { type: 'boolean', instructions: 'Yes?' } },
    providerOptions: { tessera: { min_confidence: 0.5 } },
  }
  const { warnings } = await tessera.decisionModel('x').doDecide(options as unknown as DecisionOptions)
  expect(warnings).toEqual([
    {
      type: 'unsupported',
      feature: 'providerOptions.tessera.min_confidence',
      details: 'only background is read',
    },
  ])
})

it.each<[settings: object, message: string]>([
  [{ baseUrl: 'http://box:8080' }, 'baseUrl: is no option of createTessera; those are engine, baseURL, apiKey'],
  [{ engine: Promise.resolve() }, 'engine: must be an engine, such as createEngine() resolves with'],
  [{ baseURL: 1 }, 'baseURL: must be a string'],
])('settings %o are refused by name, and do not run somewhere else', (settings, message) => {
  expect(() => createTessera(settings)).toThrow(message)
})
