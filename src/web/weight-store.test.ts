import { afterEach, expect, it, vi } from 'vitest'
import type { Backend } from '../backends/backend.ts'
import { handOverWeights } from '../backends/hand-over-weights.ts'
import type { BuiltGraph } from '../onnx/built-graph.ts'
import { stubSite } from './test-support/fake-site.ts'
import { WeightStore } from './weight-store.ts'

const FOLDER = 'https://app.example/model/vae'
const URL = `${FOLDER}/model.safetensors`
const GRAPH: BuiltGraph = { bytes: Uint8Array.of(1), folder: FOLDER, weightFiles: ['model.safetensors'] }
afterEach(() => void vi.unstubAllGlobals())

/** A server that sends its file in parts, as the test says, and no Cache Storage. */
function stubSlowSite() {
  const requests: string[] = []
  const parts: { enqueue(text: string): void; close(): void } = { enqueue: () => {}, close: () => {} }
  let stopping: AbortSignal | undefined
  vi.stubGlobal('fetch', async (url: string, { signal }: RequestInit = {}) => {
    requests.push(url)
    stopping = signal ?? undefined
    const body = new ReadableStream({
      start(controller) {
        parts.enqueue = (text) => controller.enqueue(new TextEncoder().encode(text))
        parts.close = () => controller.close()
        signal?.addEventListener('abort', () => controller.error(signal.reason))
      },
    })
    return new Response(body)
  })
  return { parts, requests, isStopped: () => stopping?.aborted }
}

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
  await expect(stopped).rejects.toMatchObject({ code: 'aborted' })
  await expect(weights.load(URL, { signal: controller.signal })).rejects.toMatchObject({ code: 'aborted' })
  expect(site.kept(URL)).toBeUndefined()
  expect(new TextDecoder().decode(await weights.load(URL))).toBe('weights')
})

it('goes on with a download until the last who waits for it has gone, and tells all of them of its bytes', async () => {
  const { parts, requests, isStopped } = stubSlowSite()
  const weights = new WeightStore()
  const [one, other] = [new AbortController(), new AbortController()]
  const told = { one: 0, other: 0, third: 0 }
  const load = (name: keyof typeof told, signal?: AbortSignal) =>
    weights.load(URL, { ...(signal && { signal }), onBytes: (length) => (told[name] += length) })
  const first = load('one', one.signal)
  const second = load('other', other.signal)
  await vi.waitFor(() => expect(requests).toEqual([URL]), { timeout: 60_000 })
  parts.enqueue('wei')
  await vi.waitFor(() => expect(told).toEqual({ one: 3, other: 3, third: 0 }), { timeout: 60_000 })
  one.abort()
  await expect(first).rejects.toMatchObject({ code: 'aborted' })
  expect(isStopped()).toBe(false)
  const third = load('third')
  parts.enqueue('ghts')
  parts.close()
  expect(new TextDecoder().decode(await second)).toBe('weights')
  expect(await third).toBe(await second)
  expect([told, requests]).toEqual([{ one: 3, other: 7, third: 7 }, [URL]])

  weights.release(FOLDER)
  const last = new AbortController()
  const stopped = weights.load(URL, { signal: last.signal })
  await vi.waitFor(() => expect(requests).toEqual([URL, URL]), { timeout: 60_000 })
  last.abort()
  await expect(stopped).rejects.toMatchObject({ code: 'aborted' })
  expect(isStopped()).toBe(true)
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
