import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { pullModel } from './pull-model.ts'
import { pullQuantized } from './pull-quantized.ts'
import { writeState } from './pull-state.ts'
import { startFakeHub } from './test-support/fake-hub.ts'

const FILES = { 'config.json': '{}', 'model.safetensors': 'weights' }

let work: string
beforeEach(() => void (work = temporaryFolder()))

it('a revision that the model does not have is named, not the model', async () => {
  await using hub = await startFakeHub(FILES)
  const env = { HF_HOME: work, HF_ENDPOINT: hub.url }
  await expect(pullModel({ id: 'owner/model', revision: 'v9', env })).rejects.toMatchObject({
    code: 'invalid_request',
    path: 'revision',
    reason: `must be a branch, tag or commit of owner/model, got 'v9'; ${hub.url}/owner/model/tree/main lists them`,
  })
  await expect(pullModel({ id: 'owner/other', revision: 'v9', env })).rejects.toMatchObject({ code: 'model_not_found' })
})

it('so is the commit of a quantised pull that goes on, with what helps', async () => {
  await using hub = await startFakeHub(FILES)
  const [out, commit] = [join(work, 'int8'), 'd'.repeat(40)]
  const options = { id: 'owner/model', bits: 8, out, env: { HF_ENDPOINT: hub.url } } as const
  await expect(pullQuantized({ ...options, revision: 'v9', blockSize: 32 })).rejects.toMatchObject({
    path: 'revision',
    reason: expect.stringContaining("got 'v9'"),
  })
  await writeState(`${out}.partial`, { id: 'owner/model', revision: 'main', commit, bits: 8, block_size: 32 })
  await expect(pullQuantized({ ...options, blockSize: 32 })).rejects.toMatchObject({
    code: 'invalid_request',
    path: 'revision',
    reason: `the commit ${commit}, which ${out}.partial was begun with, is gone from the hub; remove that folder to begin anew`,
  })
})
