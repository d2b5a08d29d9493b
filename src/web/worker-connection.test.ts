import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { ConnectionHandlers } from '../engine/pool/connection.ts'
import { errorFromJSON } from '../errors/index.ts'
import { AWAKE, connectWebWorker } from './worker-connection.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function connect() {
  const worker = Object.assign(new EventTarget(), {
    terminate: vi.fn<Worker['terminate']>(),
    postMessage: vi.fn<(message: unknown, moved?: Transferable[]) => void>(),
  })
  const handlers = {
    onMessage: vi.fn<ConnectionHandlers['onMessage']>(),
    onCrash: vi.fn<ConnectionHandlers['onCrash']>(),
  }
  return { worker, ...handlers, connection: connectWebWorker(() => worker as unknown as Worker)(handlers) }
}

it('ends a worker whose script says nothing, with what it must be', () => {
  const { worker, onCrash } = connect()
  vi.advanceTimersByTime(60_000)
  expect(worker.terminate).toHaveBeenCalledOnce()
  expect(onCrash.mock.calls).toEqual([[expect.stringContaining("its script must be 'tessera-onnx/web/worker'")]])
})

it('does not count the time in which the page stood still, as on a locked phone', () => {
  const { onCrash } = connect()
  vi.advanceTimersByTime(30_000)
  // Of all that was due meanwhile a browser runs each timer once.
  vi.setSystemTime(Date.now() + 600_000)
  vi.advanceTimersToNextTimer()
  expect(vi.getTimerCount()).toBe(1)
  expect(onCrash).not.toHaveBeenCalled()
})

it('keeps what it is given until the script listens, which one that is imported later would miss', () => {
  const { worker, connection } = connect()
  const start = { type: 'release', model: 'decide-latest' } as const
  connection.post(start)
  // Of the app's own script, before it imports the library.
  worker.dispatchEvent(new MessageEvent('message', { data: 'hello' }))
  expect(worker.postMessage.mock.calls).toEqual([[AWAKE]])
  worker.dispatchEvent(new MessageEvent('message', { data: AWAKE }))
  connection.post({ type: 'abort', id: 1 })
  expect(worker.postMessage.mock.calls.slice(1)).toEqual([
    [start, []],
    [{ type: 'abort', id: 1 }, []],
  ])
})

it('asks one that was made before the engine whether it listens, as it said so to nobody', () => {
  const { worker, connection, onCrash } = connect()
  worker.postMessage.mockImplementation((message) => {
    if (message === AWAKE) worker.dispatchEvent(new MessageEvent('message', { data: AWAKE }))
  })
  const start = { type: 'release', model: 'decide-latest' } as const
  connection.post(start)
  vi.advanceTimersByTime(60_000)
  expect(worker.postMessage.mock.calls).toEqual([[AWAKE], [start, []]])
  expect(onCrash).not.toHaveBeenCalled()
})

it('waits for the runtime of a worker that is awake for as long as it takes', () => {
  const { worker, onMessage, onCrash } = connect()
  worker.dispatchEvent(new MessageEvent('message', { data: AWAKE }))
  vi.advanceTimersByTime(3_600_000)
  const error = { name: 'Error', message: 'no backend' }
  worker.dispatchEvent(new MessageEvent('message', { data: { type: 'start-failed', error } }))
  expect(onMessage.mock.calls).toEqual([[{ type: 'start-failed', error }]])
  expect(onCrash).not.toHaveBeenCalled()
})

it('refuses a worker that another engine has, or that was ended', () => {
  const { worker, onMessage, onCrash } = connect()
  const again = connectWebWorker(() => worker as unknown as Worker)
  expect(() => again({ onMessage, onCrash })).toThrow('createWorker: must make a new Worker each time')
})

it('is quiet after it was closed', async () => {
  const { connection, onCrash } = connect()
  await connection.close()
  vi.advanceTimersByTime(60_000)
  expect(onCrash).not.toHaveBeenCalled()
})

const UNLOADED = expect.stringMatching(
  /`createWorker` says where it is.*of the page's origin.*`type: 'module'`.*worker-src.*`worker: false`/,
)

it('says how to name the script where it cannot be loaded, and that trying again does not help', () => {
  const { worker, onMessage, onCrash } = connect()
  worker.dispatchEvent(new Event('error'))
  const told = onMessage.mock.calls.map(([message]) => message.type === 'start-failed' && errorFromJSON(message.error))
  expect(told).toEqual([expect.objectContaining({ code: 'internal_error', message: UNLOADED, retryable: false })])
  expect(worker.terminate).toHaveBeenCalledOnce()
  expect(onCrash).not.toHaveBeenCalled()
})

it('may be tried again where the script ran before and cannot be loaded now', () => {
  const workers = [0, 1].map(() => Object.assign(new EventTarget(), { terminate() {} }))
  const [first, second] = workers
  const start = connectWebWorker(() => workers.shift() as unknown as Worker)
  const handlers = {
    onMessage: vi.fn<ConnectionHandlers['onMessage']>(),
    onCrash: vi.fn<ConnectionHandlers['onCrash']>(),
  }
  start(handlers)
  first!.dispatchEvent(new MessageEvent('message', { data: AWAKE }))
  start(handlers)
  second!.dispatchEvent(new Event('error'))
  expect(handlers.onCrash.mock.calls).toEqual([[UNLOADED]])
  expect(handlers.onMessage).not.toHaveBeenCalled()
})

it('says that trying again does not help where the page cannot make the worker', () => {
  const cause = new DOMException('of another origin', 'SecurityError')
  const start = () =>
    connectWebWorker(() => {
      throw cause
    })({ onMessage() {}, onCrash() {} })
  const message = expect.stringMatching(/`createWorker` makes it from a script of the same origin.*`worker: false`/)
  expect(start).toThrow(expect.objectContaining({ code: 'internal_error', retryable: false, message, cause }))
})

it.each([
  ['nothing', undefined],
  ['an instance of a class', Promise.resolve()],
])('refuses %s in place of a worker by the name of the option', (got, made) => {
  const message = `createWorker: must return a Worker, got ${got}`
  expect(() => connectWebWorker(() => made as never)({ onMessage() {}, onCrash() {} })).toThrow(message)
})

it('ends a worker whose code could not be loaded, so that the next call starts another one', () => {
  const worker = Object.assign(new EventTarget(), { terminate: vi.fn<Worker['terminate']>() })
  const onCrash = vi.fn<ConnectionHandlers['onCrash']>()
  const onMessage = vi.fn<ConnectionHandlers['onMessage']>()
  connectWebWorker(() => worker as unknown as Worker)({ onMessage, onCrash })
  worker.dispatchEvent(new MessageEvent('message', { data: { type: 'broken', reason: 'no code' } }))
  expect(worker.terminate).toHaveBeenCalledOnce()
  expect(onCrash.mock.calls).toEqual([['no code']])
  expect(onMessage).not.toHaveBeenCalled()
})
