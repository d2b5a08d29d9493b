import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { pullModel } from '../pull/pull-model.ts'
import { startFakeHub } from '../pull/test-support/fake-hub.ts'
import { removeDownloaded } from './downloaded-models.ts'
import { isHubId } from './hub-cache.ts'
import { KNOWN_MODELS } from './known-models.ts'
import { resolveModel } from './resolve-model.ts'

const JULIA = 'SupersonicLabs/Julia-1'
const FILES = { 'config.json': '{"some":"config"}', 'model.safetensors': 'weights' }

let home: string
beforeEach(() => void (home = temporaryFolder()))

it('a short name is pulled, found and removed as the hub id that it stands for', async () => {
  await using hub = await startFakeHub(FILES, undefined, JULIA)
  const env = { HF_HOME: home, HF_ENDPOINT: hub.url }
  const folder = await pullModel({ id: 'julia-1', env })
  expect(folder).toContain('models--SupersonicLabs--Julia-1')
  for (const name of ['julia-1', JULIA]) expect(await resolveModel(name, env)).toMatchObject({ id: JULIA, folder })
  const onWait = () => expect.unreachable()
  expect(await removeDownloaded('julia-1', env, { signal: undefined, onWait })).toMatchObject({ id: JULIA })
  await expect(resolveModel('julia-1', env)).rejects.toThrow('npx tessera-onnx pull julia-1')
})

it('a name that is neither is refused with those that there are', async () => {
  const pull = pullModel({ id: 'layer', env: { HF_HOME: home } })
  await expect(pull).rejects.toThrow(/or one of laya, laya-multilingual, .*got 'layer'/)
})

it('an address is refused with the name in it', async () => {
  const pull = (id: string) => pullModel({ id, env: { HF_HOME: home } })
  for (const rest of ['', '/', '/tree/main', '/resolve/main/model.gguf?download=true']) {
    await expect(pull(`https://huggingface.co/Qwen/Qwen3-4B${rest}`)).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'model: must be a name, got an address; give Qwen/Qwen3-4B',
    })
  }
  await expect(pull('https://huggingface.co')).rejects.toThrow('must be <owner>/<name> on the hub')
})

it('short names are no hub ids, and stand for some', () => {
  for (const [name, id] of KNOWN_MODELS) {
    expect(name).toMatch(/^[a-z][a-z0-9.-]*$/)
    expect([isHubId(name), isHubId(id)]).toEqual([false, true])
  }
})
