import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { fixtureFolder } from '../../../test/helpers/language-model-fixture.ts'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { quantizeCheckpoint } from './quantize-checkpoint.ts'

let work: string

beforeEach(() => void (work = temporaryFolder()))

const run = (signal?: AbortSignal) =>
  quantizeCheckpoint({
    folder: fixtureFolder('qwen3-mha-tied'),
    out: join(work, 'out'),
    bits: 8,
    blockSize: 32,
    signal,
  })

it('lets one of two runs make the same folder, and says to the other that it is there', async () => {
  const outcomes = await Promise.allSettled([run(), run()])
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  const refused = outcomes.find((outcome) => outcome.status === 'rejected')
  expect(refused?.reason).toMatchObject({ code: 'invalid_request', path: 'out' })
  expect(refused?.reason.message).toContain('exists; remove it or choose another folder')
  expect(await readdir(work)).toEqual(['out'])
})

it('removes what a run that was killed has left of the same folder, and of no other', async () => {
  const id = '0b9a3c1e-5d2f-4e6a-8b7c-9d0e1f2a3b4c'
  const others = [`out-2.partial-${id}`, 'out.partial', 'out.partial-mine']
  for (const name of [`out.partial-${id}`, ...others]) {
    await mkdir(join(work, name))
    await writeFile(join(work, name, 'model.safetensors'), 'half of it')
  }
  await run()
  expect((await readdir(work)).toSorted()).toEqual(['out', ...others].toSorted())
})

it('can be stopped while it waits for another run', async () => {
  await mkdir(join(work, 'out.partial.lock'))
  await expect(run(AbortSignal.timeout(200))).rejects.toMatchObject({ code: 'aborted' })
  expect(await readdir(work)).toEqual(['out.partial.lock'])
})
