import { cp, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/helpers/temporary-folder.ts'
import { createEngine } from './create-engine.ts'

const FIXTURE = fileURLToPath(new URL('../../models/decide-mini', import.meta.url))
const REQUEST = {
  state: 'Where is my parcel?',
  questions: { late: { type: 'noul', instructions: 'Is it late?' } },
} as const

let folder: string
beforeEach(async () => {
  folder = temporaryFolder()
  for (const name of ['config.json', 'tokenizer.json', 'tessera.json', 'model.safetensors']) {
    await cp(join(FIXTURE, name), join(folder, name))
  }
})

it('counts as decide does, before and after the model is open', async () => {
  await using engine = await createEngine({ worker: false, models: { 'decide-latest': folder } })
  const before = await engine.countTokens(REQUEST)
  const { usage } = await engine.decide(REQUEST)
  expect(before.input_tokens).toBe(usage.input_tokens)
  expect(await engine.countTokens(REQUEST)).toEqual(before)
})

it('reads no weights for it', async () => {
  await using engine = await createEngine({ worker: false, models: { 'decide-latest': folder }, memoryBudget: 1 })
  await engine.countTokens(REQUEST)
  // What is gone from the file now can't be opened any more, and is not looked for.
  await truncate(join(folder, 'model.safetensors'), 0)
  expect((await engine.countTokens(REQUEST)).input_tokens).toBeGreaterThan(0)
  await expect(engine.decide(REQUEST)).rejects.toMatchObject({ code: 'model_format' })
})

it('a model that makes pictures still counts nothing', async () => {
  await using engine = await createEngine({ worker: false })
  await expect(engine.countTokens({ ...REQUEST, model: 'image-mini' })).rejects.toThrow(
    /is not a model for countTokens/,
  )
})
