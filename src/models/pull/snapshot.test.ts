import { readdir } from 'node:fs/promises'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { findInHubCache } from '../find/hub-cache.ts'
import { pullModel } from './pull-model.ts'
import { startFakeHub } from './test-support/fake-hub.ts'

let home: string
beforeEach(() => void (home = temporaryFolder()))

it('a model appears with all of its files, to whoever looks for it meanwhile', async () => {
  const parts = Array.from({ length: 20 }, (_, k) => [`part-${k}.json`, '{}'])
  // A file of weights whose header says that it holds none.
  const weights = `\x02${'\0'.repeat(7)}{}`
  await using hub = await startFakeHub({
    ...Object.fromEntries(parts),
    'config.json': '{}',
    'model.safetensors': weights,
  })
  const env = { HF_HOME: home, HF_ENDPOINT: hub.url }
  const state = { pulled: '' }
  const pull = pullModel({ id: 'owner/model', env }).then((folder) => (state.pulled = folder))
  const seen = new Set<number>()
  while (state.pulled === '') {
    const folder = await findInHubCache('owner/model', env)
    if (folder !== undefined) seen.add((await readdir(folder)).length)
  }
  await pull
  expect([...seen].filter((files) => files !== 22)).toEqual([])
  expect(await readdir(state.pulled)).toHaveLength(22)
})
