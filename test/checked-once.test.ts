import { beforeEach, describe, expect, it, vi } from 'vitest'
import { asChecked } from '../src/engine/calls/checked-calls.ts'
import { resolveOptions } from '../src/engine/options/resolve-options.ts'
import type { Connection } from '../src/engine/pool/connection.ts'
import { startEngine } from '../src/engine/start-engine.ts'
import { createFakeSource } from '../src/engine/test-support/fake-task.ts'
import { InvalidRequestError } from '../src/errors/index.ts'
import type * as CopyJson from '../src/schemas/copy-json.ts'
import { parseDecisionRequest, parseImageEditRequest } from '../src/schemas/index.ts'
import { startTinyServer } from './helpers/tiny-server.ts'

const { copied } = vi.hoisted(() => ({ copied: [] as unknown[] }))
vi.mock('../src/schemas/copy-json.ts', async (importOriginal) => {
  const original = await importOriginal<typeof CopyJson>()
  const copyJson: typeof original.copyJson = (value, most) => {
    copied.push(value)
    return original.copyJson(value, most)
  }
  return { ...original, copyJson }
})
beforeEach(() => void (copied.length = 0))

const tiny = await startTinyServer({ keys: [{ key: 'k', prepaid: '1' }] })

describe('over HTTP', () => {
  const data = { subject: 'Invoice', lines: [1, null, true] }
  it.each([
    ['/v1/systemone', { state: data, questions: { q: { type: 'noul', instructions: 'Urgent?' } } }],
    [
      '/v1/decisions',
      {
        input: [{ role: 'user', content: [{ type: 'input_json', data }] }],
        questions: [{ type: 'predicate', instructions: 'Urgent?' }],
      },
    ],
  ])('a state of %s is checked and copied once, though it is counted and answered', async (path, body) => {
    const response = await fetch(tiny.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer k' },
      body: JSON.stringify(body),
    })
    expect(response.status).toBe(200)
    expect(copied).toEqual([data])
  })
})

describe('an engine', () => {
  const posted: { readonly request: object; readonly moved: readonly ArrayBuffer[] }[] = []
  const start = (maxOptions = 26) => {
    const resolved = resolveOptions({ backend: 'cpu', threads: 1, maxOptions }, {})
    const connect = ({ onMessage }: { onMessage(message: never): void }): Connection => ({
      post(message, moved = []) {
        if (message.type === 'start') queueMicrotask(() => onMessage({ type: 'started', info: {} } as never))
        if (message.type !== 'run') return
        posted.push({ request: message.request, moved })
        const served = { model: 'm', queueMs: 0, computeMs: 0 }
        queueMicrotask(() => onMessage({ type: 'result', id: message.id, response: {}, served } as never))
      },
      setBusy: () => {},
      close: async () => {},
    })
    return startEngine(resolved, connect, createFakeSource())
  }
  beforeEach(() => void (posted.length = 0))

  const REQUEST = { state: { a: 1 }, questions: { q: { type: 'noul', instructions: 'Urgent?' } } } as const

  it('takes a request that was checked as it is, and checks any other, also one that took its place', async () => {
    const engine = await start()
    const request = parseDecisionRequest(REQUEST)
    const options = asChecked(request, {}, { maxOptions: 26 })
    copied.length = 0
    await engine.decide(request, options)
    expect([posted[0]!.request, copied]).toEqual([request, []])
    expect(posted[0]!.request).toBe(request)
    await engine.decide({ ...request }, options)
    await engine.decide(request, {})
    expect(copied).toEqual([REQUEST.state, REQUEST.state])
    await expect(engine.decide({ ...request, state: 5 } as never, options)).rejects.toThrow('state: must be')
  })

  it('refuses a request that is missing as any other', async () => {
    const engine = await start()
    await expect(engine.decide(undefined as never)).rejects.toBeInstanceOf(InvalidRequestError)
    await expect(engine.generateImage(undefined as never)).rejects.toBeInstanceOf(InvalidRequestError)
    await expect(engine.editImage(undefined as never)).rejects.toBeInstanceOf(InvalidRequestError)
  })

  it('checks a request anew that was checked for more options than it allows', async () => {
    const criteria = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`option ${index}`, null]))
    const request = parseDecisionRequest(
      { state: 'x', questions: { q: { type: 'choice', criteria } } },
      { maxOptions: 30 },
    )
    const engine = await start()
    const options = asChecked(request, {}, { maxOptions: 30 })
    await expect(engine.decide(request, options)).rejects.toThrow(/a choice needs 2 to 26 options/)
    await (await start(30)).decide(request, options)
    expect(posted).toHaveLength(1)
  })

  it('hands over pictures of a service, and a copy of those of an app', async () => {
    const engine = await start()
    const image = Uint8Array.of(1, 2, 3)
    const request = parseImageEditRequest({ prompt: 'x', image })
    await engine.editImage(request, asChecked(request, {}))
    await engine.editImage({ prompt: 'x', image })
    expect(posted[0]!.moved).toEqual([image.buffer])
    expect(posted[0]!.moved[0]).toBe(image.buffer)
    expect(posted[1]!.moved).toEqual([image.buffer])
    expect(posted[1]!.moved[0]).not.toBe(image.buffer)
  })
})
