import { access, copyFile, rm, utimes, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it, vi } from 'vitest'
import { fixtureFolder } from '../../../test/helpers/language-model-fixture.ts'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import type { Backend, BuiltGraph, Session } from '../../backends/index.ts'
import type { MadeWeights } from '../../models/files/model-files.ts'
import { openModel, unpackWeights } from '../../models/index.ts'
import { withUnpacked } from './with-unpacked.ts'

let work: string
let path: string
beforeEach(async () => {
  work = temporaryFolder()
  path = join(work, 'tiny.gguf')
  await copyFile(join(fixtureFolder('gguf'), 'llama.gguf'), path)
})

const cache = () => join(work, 'cache')

/** @returns what opens a session of the model and gives the folder that its weights are taken from */
async function open(unpacked = vi.fn<(weights: MadeWeights) => void>()) {
  const files = openModel(path)
  const { folder } = (await files.made!())!
  const seen: (string | undefined)[] = []
  const plain = {
    async createSession(model: BuiltGraph): Promise<Session> {
      // A session fails where its weights are not there.
      await access(join(model.folder!, 'model.safetensors'))
      seen.push(model.folder)
      return {} as Session
    },
  } as Backend
  const unpack = async (weights: MadeWeights) => {
    unpacked(weights)
    return unpackWeights(weights, path, new AbortController().signal, { TESSERA_CACHE: cache() })
  }
  const backend = withUnpacked(plain, files, unpack)
  return async () => {
    await backend.createSession({ folder } as BuiltGraph)
    return seen.at(-1)!
  }
}

it('what is unpacked may be removed while the model is open: the next session has it written again', async () => {
  const session = await open()
  const first = await session()
  await rm(cache(), { recursive: true })
  expect(await session()).toBe(first)
})

it('the next session has written again what is cut off', async () => {
  const session = await open()
  const path = join(await session(), 'model.safetensors')
  const { size } = await stat(path)
  await truncate(path, 1)
  await session()
  expect(await stat(path)).toMatchObject({ size })
})

it('sessions that are opened together and after one another unpack once', async () => {
  const unpacked = vi.fn<(weights: MadeWeights) => void>()
  const session = await open(unpacked)
  const folders = await Promise.all([session(), session(), session()])
  expect(new Set([...folders, await session()]).size).toBe(1)
  expect(unpacked).toHaveBeenCalledTimes(1)
})

it('a file that is gone by now matters to no session while what was unpacked of it is there', async () => {
  const session = await open()
  const first = await session()
  await rm(path)
  expect(await session()).toBe(first)
  await rm(cache(), { recursive: true })
  await expect(session()).rejects.toMatchObject({ code: 'model_format', got: expect.stringContaining('has changed') })
})

it('a changed file is not unpacked for a model that was opened before', async () => {
  const session = await open()
  await session()
  await rm(cache(), { recursive: true })
  await utimes(path, 1, 1)
  await expect(session()).rejects.toMatchObject({ code: 'model_format', got: expect.stringContaining('has changed') })
})

it('what could not be unpacked is tried again by the next session', async () => {
  const unpacked = vi.fn<(weights: MadeWeights) => void>()
  unpacked.mockImplementationOnce(() => {
    throw new Error('no room')
  })
  const session = await open(unpacked)
  await expect(session()).rejects.toThrow('no room')
  expect(await session()).toContain(cache())
})
