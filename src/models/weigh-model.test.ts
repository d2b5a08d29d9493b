import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { fixtureFolder } from '../../test/helpers/language-model-fixture.ts'
import { temporaryFolder } from '../../test/helpers/temporary-folder.ts'
import { weighModel } from './weigh-model.ts'

const MODEL = fixtureFolder('qwen3-gqa2-untied')

let folder: string
beforeEach(() => void (folder = temporaryFolder()))

it('counts the weights that are read, and none beside them or in folders below', async () => {
  await cp(MODEL, folder, { recursive: true })
  const bytes = await weighModel(folder)
  await mkdir(join(folder, 'checkpoint-500'))
  for (const other of ['model.fp16.safetensors', 'checkpoint-500/model.safetensors']) {
    await cp(join(MODEL, 'model.safetensors'), join(folder, other))
  }
  expect(await weighModel(folder)).toBe(bytes)
})

it('leaves it to opening to say that weights are gone or damaged', async () => {
  await symlink(join(folder, 'gone'), join(folder, 'model.safetensors'))
  expect(await weighModel(folder)).toBe(0)
  await rm(join(folder, 'model.safetensors'))
  await writeFile(join(folder, 'model.safetensors'), 'no weights')
  expect(await weighModel(folder)).toBe(0)
})
