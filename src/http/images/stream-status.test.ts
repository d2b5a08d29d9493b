import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ImageCallOptions, Progress } from '../../engine/index.ts'
import { InsufficientMemoryError, InvalidRequestError } from '../../errors/index.ts'
import { createServer, type RequestLog, type Server } from '../index.ts'
import { IMAGE_BODIES, json, post } from '../test-support/requests.ts'
import { createStubEngine, type StubEngine } from '../test-support/stub-engine.ts'

const LOADING = [0, 9].map((done): Progress => ({ stage: 'loading', done, total: 9 }))
const ENCODING = [0, 1].map((done): Progress => ({ stage: 'encoding', done, total: 1 }))
const refusal = new InvalidRequestError('negative_prompt', 'needs guidance')

let stub: StubEngine
let server: Server
const entries: RequestLog[] = []
/** Has what is held go on. */
let open = () => {}
beforeEach(() => {
  stub = createStubEngine()
  server = createServer({ engine: stub.engine, log: (entry) => entries.push(entry) })
})
afterEach(async () => {
  vi.useRealTimers()
  open()
  await server.close()
  entries.splice(0)
})

/** Has pictures tell of these steps before what they do else. */
function tellBefore(progress: readonly Progress[], then: () => void | Promise<void> = () => {}): void {
  const { generateImage, editImage } = stub.engine
  const tell = async ({ onProgress }: ImageCallOptions = {}) => {
    for (const one of progress) onProgress?.(one)
    await then()
  }
  Object.assign(stub.engine, {
    generateImage: async (...call: Parameters<typeof generateImage>) => (await tell(call[1]), generateImage(...call)),
    editImage: async (...call: Parameters<typeof editImage>) => (await tell(call[1]), editImage(...call)),
  })
}

/** What the work comes to before anything else happens here. */
function orNothing<T>(work: Promise<T>): Promise<T | 'nothing'> {
  return Promise.race([work, new Promise<'nothing'>((resolve) => setImmediate(resolve, 'nothing'))])
}

describe.each(IMAGE_BODIES)('%s with stream: true', (path, body) => {
  const ask = () => server.fetch(post({ ...body, stream: true }, { path }))
  const comments = (text: string) => text.split('\n\n').filter((part) => part.startsWith(': progress'))
  const shown = (progress: readonly Progress[]) => progress.map((one) => `: progress ${JSON.stringify(one)}`)

  it.each([
    [422, refusal],
    [507, new InsufficientMemoryError('it needs 9 GiB', 'Use fewer bits.', { needed: 9, available: 1 })],
  ])('answers %d as ever where its model says so while it is loaded or the prompt is encoded', async (status, why) => {
    tellBefore([...LOADING, ENCODING[0]!])
    stub.failure = why
    const response = await ask()
    expect([response.status, response.headers.get('content-type')]).toEqual([status, 'application/json'])
    expect(await json(response)).toMatchObject({ error_type: why.errorType })
    expect(entries).toMatchObject([{ status }])
  })

  it('tells of loading and encoding once the prompt is encoded', async () => {
    tellBefore([...LOADING, ...ENCODING], () => new Promise<void>((resolve) => (open = resolve)))
    const response = await ask()
    expect(response.status).toBe(200)
    open()
    const denoising = [0, 1].map((done) => ({ stage: 'denoising', done, total: 1 }))
    expect(comments(await response.text())).toEqual(shown([...LOADING, ...ENCODING, ...denoising]))
  })

  it.each([
    ['waits in the queue', [], 30_000],
    ['computes a long step', [...LOADING, ...ENCODING], 0],
  ] as const)('says every 15 seconds that it goes on while it %s', async (_, told, held) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    const silent = new Promise<void>((resolve) => {
      tellBefore(told, () => {
        resolve()
        return new Promise<void>((goOn) => (open = goOn))
      })
    })
    const asked = ask()
    await silent
    vi.advanceTimersByTime(held)
    const response = await orNothing(asked)
    if (!(response instanceof Response)) throw new Error('nothing came within 30 seconds')
    const reader = response.body!.getReader()
    const read = async () => new TextDecoder().decode((await reader.read()).value)
    for (const each of shown(told)) expect(await orNothing(read())).toBe(`${each}\n\n`)
    if (held > 0) expect(await orNothing(read())).toBe(': waiting\n\n')
    vi.advanceTimersByTime(14_999)
    const next = read()
    expect(await orNothing(next)).toBe('nothing')
    vi.advanceTimersByTime(1)
    expect(await orNothing(next)).toBe(': waiting\n\n')
    vi.advanceTimersByTime(15_000)
    expect(await orNothing(read())).toBe(': waiting\n\n')
    open()
    while (!(await reader.read()).done);
    expect(vi.getTimerCount()).toBe(0)
  })

  it('tells of a model that loads for long before a proxy gives the connection up', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let fail = () => {}
    const told = new Promise<void>((resolve) => {
      tellBefore(LOADING.slice(0, 1), () => {
        resolve()
        return new Promise<void>((_, reject) => (fail = () => reject(refusal)))
      })
    })
    const asked = ask()
    await told
    vi.advanceTimersByTime(30_000)
    const response = await asked
    expect(response.status).toBe(200)
    fail()
    const [first, event] = (await response.text()).split('\n\n')
    expect([first, event]).toEqual([shown(LOADING)[0], expect.stringMatching(/^event: error\ndata: .*negative_prompt/)])
    expect(entries).toMatchObject([{ status: 422 }])
  })
})
