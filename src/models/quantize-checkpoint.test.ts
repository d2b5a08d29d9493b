import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { fixtureFolder } from '../../test/helpers/language-model-fixture.ts'
import { quantizeCheckpoint } from './quantize-checkpoint.ts'

it('lets one of two runs make the same folder, and says to the other that it is there', async () => {
  const work = await mkdtemp(join(tmpdir(), 'tessera-twice-'))
  const run = () =>
    quantizeCheckpoint({ folder: fixtureFolder('qwen3-mha-tied'), out: join(work, 'out'), bits: 8, blockSize: 32 })
  const outcomes = await Promise.allSettled([run(), run()])
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  const refused = outcomes.find((outcome) => outcome.status === 'rejected')
  expect(refused?.reason).toMatchObject({ code: 'invalid_request', path: 'out' })
  expect(refused?.reason.message).toContain('exists; remove it or choose another folder')
  expect(await readdir(work)).toEqual(['out'])
  await rm(work, { recursive: true })
})
