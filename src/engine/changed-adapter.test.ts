import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { materializeBundle } from '../../test/helpers/image-bundle.ts'
import { fixtureFolder } from '../../test/helpers/language-model-fixture.ts'
import { temporaryFolder } from '../../test/helpers/temporary-folder.ts'
import { createEngine } from './index.ts'

const KLEIN = fixtureFolder('lora-images/klein-distilled')
const [FIRST, SECOND] = [join(KLEIN, 'diffusers.safetensors'), join(KLEIN, 'second.safetensors')]

it('a call draws with the adapter that lies under its path by now, a name with that of its open model', async () => {
  await using bundle = await materializeBundle('klein-distilled')
  const work = temporaryFolder()
  const trained = join(work, 'trained.safetensors')
  await cp(FIRST, trained)
  await using engine = await createEngine({
    backend: 'cpu',
    threads: 1,
    models: { 'alpha-image-turbo': bundle.folder, named: bundle.folder },
    loras: { named: [{ path: trained }] },
  })
  const draw = async (model: string, ...paths: string[]) => {
    const lora = paths.map((path) => ({ path }))
    return (await engine.generateImage({ prompt: 'a fox', size: '64x64', seed: 3, model }, { steps: 2, lora })).data[0]
  }
  const before = await draw('alpha-image-turbo', trained)
  expect(await draw('named')).toEqual(before)
  expect(engine.activity().models.reduce((sum, model) => sum + model.open, 0)).toBe(1)
  await cp(SECOND, trained)
  const after = await draw('alpha-image-turbo', trained)
  expect(after).not.toEqual(before)
  expect(after).toEqual(await draw('alpha-image-turbo', SECOND))
  expect(await draw('named')).toEqual(before)
})
