import { join } from 'node:path'
import { expect, it } from 'vitest'
import { materializeBundle } from '../../test/helpers/image-bundle.ts'
import { fixtureFolder } from '../../test/helpers/language-model-fixture.ts'
import { createEngine } from './index.ts'

it('adapters are those that the options had when the call was made', async () => {
  await using bundle = await materializeBundle('klein-distilled')
  const models = { 'alpha-image-turbo': bundle.folder }
  await using engine = await createEngine({ backend: 'cpu', threads: 1, models })
  const path = join(fixtureFolder('lora-images/klein-distilled'), 'diffusers.safetensors')
  const scales = [0.5, 1]
  const lora = [{ path, scale: 0 }]
  const draw = async (own: typeof lora) =>
    (await engine.generateImage({ prompt: 'a red apple', size: '64x64', seed: 3 }, { steps: 2, lora: own })).data
  const calls = scales.map((scale) => {
    lora[0]!.scale = scale
    return draw(lora)
  })
  const alone = scales.map((scale) => draw([{ path, scale }]))
  const [pictures, expected] = await Promise.all([Promise.all(calls), Promise.all(alone)])
  expect(pictures).toEqual(expected)
  expect(pictures[0]).not.toEqual(pictures[1])
})
