import { afterEach, beforeEach, describe, expect, it, type Mock, vi } from 'vitest'
import type { Backend } from '../backends/backend.ts'
import type { OrtRuntime } from '../backends/open-session.ts'
import type { ConnectionHandlers } from '../engine/pool/connection.ts'
import type { BuiltGraph } from '../onnx/built-graph.ts'
import { createEngine } from './create-engine.ts'
import { watchDevice } from './lost-device.ts'
import { connectWebWorker } from './worker-connection.ts'

const runtime = vi.hoisted(() => ({
  env: { wasm: {}, webgpu: {} as { device?: unknown }, versions: { web: '1.0.0' } },
}))
vi.mock('onnxruntime-web/webgpu', () => runtime)
vi.mock('../backends/ort-backend.ts', () => ({
  createOrtBackend: async () => ({ name: 'webgpu', attention: 'fused', precision: 'float32', dispose: async () => {} }),
}))

let lose: (loss: { reason: string; message: string }) => void
beforeEach(() => {
  runtime.env.webgpu.device = { lost: new Promise((resolve) => (lose = resolve)) }
  vi.stubGlobal('location', { href: 'https://app.example' })
  vi.stubGlobal('navigator', { hardwareConcurrency: 2, gpu: { requestAdapter: async () => ({ features: new Set() }) } })
  // Files that never come stand for passes that never end.
  vi.stubGlobal('fetch', () => new Promise(() => {}))
})
afterEach(() => void vi.unstubAllGlobals())

const start = () => createEngine({ worker: false, backend: 'webgpu', runtimeUrl: '/ort', modelsUrl: '/models' })
const REQUEST = { state: 'ok', questions: { angry: { type: 'noul', instructions: 'Angry?' } } } as const
const LOSS = { reason: 'unknown', message: 'the GPU process ended' }

it('ends the calls that run in the page, and those that follow', async () => {
  const engine = await start()
  const call = engine.decide(REQUEST)
  await vi.waitFor(() => expect(engine.activity().running).toBe(1), { timeout: 60_000 })
  lose(LOSS)
  const reason = `the GPU device was lost (${LOSS.message})`
  await expect(call).rejects.toMatchObject({ code: 'worker_crashed', retryable: true, reason })
  const refused = { code: 'backend_unavailable', reason: expect.stringContaining('the GPU device was lost') }
  await expect(engine.decide(REQUEST)).rejects.toMatchObject(refused)
  await engine.dispose()
  await expect(start()).rejects.toMatchObject(refused)
})

it('is not that an engine has let go of its device', async () => {
  const engine = await start()
  await engine.dispose()
  lose({ reason: 'destroyed', message: '' })
  await (await start()).dispose()
})

it('ends the worker of a page by an error, which is the cause', () => {
  const worker = Object.assign(new EventTarget(), { terminate: vi.fn<Worker['terminate']>() })
  const onCrash = vi.fn<ConnectionHandlers['onCrash']>()
  connectWebWorker(() => worker as unknown as Worker)({ onMessage: () => {}, onCrash })
  worker.dispatchEvent(Object.assign(new Event('error'), { message: 'Uncaught Error: lost' }))
  expect(worker.terminate).toHaveBeenCalledOnce()
  expect(onCrash.mock.calls).toEqual([['it threw an error, see `cause`', new Error('Uncaught Error: lost')]])
})

describe('a call that fails on a device that is about to be lost', () => {
  const failure = new Error('failed to call OrtRun()')
  const session = {
    inputNames: [],
    outputNames: [],
    run: () => Promise.reject(failure),
    free: () => {},
    dispose: async () => {},
  }
  const backend = {
    name: 'webgpu',
    attention: 'fused',
    precision: 'float32',
    movesHalf: false,
    createSession: async () => session,
    createDeviceSession: async () => session,
    dispose: async () => {},
  } as unknown as Backend
  const outcome = async (call: Promise<unknown>, onLost: Mock) => {
    const settled = vi.fn<() => void>()
    call.then(settled, settled)
    await vi.waitFor(() => expect(onLost).toHaveBeenCalledOnce(), { timeout: 60_000 })
    await new Promise((resolve) => setTimeout(resolve))
    return settled.mock.calls.length
  }

  it.each(['createSession', 'createDeviceSession'] as const)('is ended by the loss alone: %s', async (create) => {
    const onLost = vi.fn<(error: Error) => void>()
    const watched = watchDevice(backend, runtime as unknown as OrtRuntime, onLost)
    const { run } = await watched[create]!({ bytes: new Uint8Array() } as BuiltGraph)
    const call = run({})
    lose(LOSS)
    expect(await outcome(call, onLost)).toBe(0)
  })

  it('is so too where something destroyed the device while it computed', async () => {
    const onLost = vi.fn<(error: Error) => void>()
    const watched = watchDevice(backend, runtime as unknown as OrtRuntime, onLost)
    const { run } = await watched.createSession({ bytes: new Uint8Array() } as BuiltGraph)
    const call = run({})
    lose({ reason: 'destroyed', message: '' })
    expect(await outcome(call, onLost)).toBe(0)
    expect(onLost).toHaveBeenCalledWith(new Error('the GPU device was lost (destroyed)'))
  })

  it('keeps its own error where the device stays', async () => {
    const onLost = vi.fn<(error: Error) => void>()
    const watched = watchDevice(backend, runtime as unknown as OrtRuntime, onLost)
    const { run } = await watched.createSession({ bytes: new Uint8Array() } as BuiltGraph)
    await expect(run({})).rejects.toBe(failure)
    expect(onLost).not.toHaveBeenCalled()
  })
})
