import { rm } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { writeTinyBundle } from '../../../test/helpers/tiny-bundle.ts'
import { diagnoseModel } from './diagnose-model.ts'

it('says whether a model fits, and what makes it fit', async () => {
  const folder = await writeTinyBundle()
  const fitting = await diagnoseModel(folder, async () => ({ bytes: 1e9, limit: 'the machine' }))
  expect(fitting).toMatchObject({ folder, fits: true, memory: { available: 1e9, limit: 'the machine' } })
  expect(fitting.memory.open).toBeGreaterThan(40e6)
  expect(fitting.memory.needed).toBeGreaterThan(fitting.memory.open)
  const full = await diagnoseModel(folder, async () => ({ bytes: 1e6, limit: 'the container' }))
  expect(full.fits).toBe(false)
  expect(full.remedy).toContain('npx tessera-onnx quantize')
  await rm(folder, { recursive: true })
})
