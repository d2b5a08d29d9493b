import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createServer } from '../index.ts'
import { type Mounted, mounts } from '../test-support/mounts.ts'
import { createStubEngine, type StubEngine } from '../test-support/stub-engine.ts'

describe.each(Object.entries(mounts))('%s', (_, mount) => {
  let stub: StubEngine
  let mounted: Mounted
  beforeEach(async () => {
    stub = createStubEngine()
    mounted = await mount(createServer({ engine: stub.engine, keys: ['right'] }))
  })
  afterEach(() => mounted?.close())

  const authorization = 'Bearer right'
  const send = (path: string, init: RequestInit) =>
    fetch(`${mounted.url}${mounted.prefix}/v1/images/${path}`, { method: 'POST', ...init })
  const stream = (signal?: AbortSignal) =>
    send('generations', {
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ prompt: 'A fox', stream: true }),
      ...(signal && { signal }),
    })

  it('takes a form with a picture of megabytes', async () => {
    const form = new FormData()
    const picture = Buffer.alloc(5_000_000, 'picture')
    form.append('image', new Blob([picture]), 'a.png')
    form.append('prompt', 'Größer 🎯')
    const response = await send('edits', { headers: { authorization }, body: form })
    expect([response.status, Object.keys(await response.json())]).toEqual([200, ['created', 'data']])
    expect(stub.drawn).toEqual([{ prompt: 'Größer 🎯', n: 1, image: picture.toString('base64') }])
  })

  it('sends events as they come', async () => {
    const open = stub.hold()
    const response = await stream()
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader.read()).value).toBe(': progress {"stage":"denoising","done":0,"total":1}\n\n')
    open()
    let rest = ''
    for (let part = await reader.read(); !part.done; part = await reader.read()) rest += part.value
    expect(rest).toContain('event: image_generation.completed\n')
  })

  it('stops when the client hangs up between events', async () => {
    stub.hold()
    const controller = new AbortController()
    const response = await stream(controller.signal)
    await response.body!.getReader().read()
    controller.abort()
    await vi.waitUntil(() => stub.counts.aborted === 1, { timeout: 120_000 })
    expect(stub.counts.running).toBe(0)
  })
})
