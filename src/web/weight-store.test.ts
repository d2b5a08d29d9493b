import { afterEach, expect, it, vi } from 'vitest'
import type { Backend } from '../backends/backend.ts'
import type { BuiltGraph } from '../onnx/built-graph.ts'
import { handOverWeights } from '../backends/hand-over-weights.ts'
import { stubSite } from './test-support/fake-site.ts'
import { WeightStore } from './weight-store.ts'

const FOLDER = 'https://app.example/model/vae'
const URL = `${FOLDER}/model.safetensors`
const GRAPH: BuiltGraph = { bytes: Uint8Array.of(1), folder: FOLDER, weightFiles: ['model.safetensors'] }
afterEach(() => void vi.unstubAllGlobals())

/** Opens a session and says which weights it was given. */
async function readBySession(weights: WeightStore): Promise<string> {
  const given: BuiltGraph[] = []
  const createSession = (model: BuiltGraph) => (given.push(model), Promise.resolve({}))
  const backend = handOverWeights({ createSession } as unknown as Backend, (folder, name) => weights.read(folder, name))
  await backend.createSession(GRAPH)
  return new TextDecoder().decode(given[0]!.files![0]!.data)
}

it('has the weights for sessions that an open model opens later, from the cache', async () => {
  const site = stubSite({ [URL]: 'weights' })
  const weights = new WeightStore()
  await weights.load(URL)
  expect(await readBySession(weights)).toBe('weights')
  weights.release('https://app.example/model')
  expect(await readBySession(weights)).toBe('weights')
  expect(site.requests).toEqual([`GET ${URL}`, `HEAD ${URL}`])
  site.answers[URL] = undefined
  expect(await readBySession(weights)).toBe('weights')
})

it('stops a download with its signal, and loads again for who asks next', async () => {
  const site = stubSite({ [URL]: 'weights' })
  const weights = new WeightStore()
  const controller = new AbortController()
  const stopped = weights.load(URL, { signal: controller.signal })
  controller.abort()
  await expect(stopped).rejects.toMatchObject({ name: 'AbortError' })
  await expect(weights.load(URL, { signal: controller.signal })).rejects.toMatchObject({ name: 'AbortError' })
  expect(site.kept(URL)).toBeUndefined()
  expect(new TextDecoder().decode(await weights.load(URL))).toBe('weights')
})

it('refuses other weights than the graph was built for, and those that no graph was built for', async () => {
  const site = stubSite({ [URL]: 'weights' })
  const weights = new WeightStore()
  await expect(readBySession(weights)).rejects.toThrow('it was not loaded before it was needed')
  await weights.load(URL)
  weights.release(FOLDER)
  for (const other of ['other weights', 'Weights']) {
    site.answers[URL] = other
    await expect(readBySession(weights)).rejects.toMatchObject({ code: 'download_failed', model: URL })
  }
})
