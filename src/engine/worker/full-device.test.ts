import { expect, it } from 'vitest'
import type { Backend } from '../../backends/backend.ts'
import type { BackendChoice } from '../../backends/create-backend.ts'
import { createOrtSession } from '../../backends/ort-session.ts'
import { resolveOptions } from '../options/resolve-options.ts'
import { connectInline } from '../pool/inline-connection.ts'
import { startEngine } from '../start-engine.ts'
import type { TaskSource } from './task.ts'

/** As onnxruntime-web 1.30 says it in Chromium 156. */
const MISSING = `failed to call OrtRun(). ERROR_CODE: 1, ERROR_MESSAGE: WebGPU validation failed. [Invalid Buffer (unlabeled)] is invalid due to a previous error.
 - While validating entries[0] against { binding: 0 }.
 - While calling [Device].CreateBindGroup([BindGroupDescriptor ""Gather""]).`

/** A session of a device that answers a run with such an error. */
function openSession(message: string) {
  const run = () => Promise.reject(new Error(message))
  const InferenceSession = { create: async () => ({ inputNames: [], outputNames: [], run }) }
  const runtime = { InferenceSession } as unknown as Parameters<typeof createOrtSession>[0]
  return createOrtSession(runtime, { bytes: new Uint8Array() }, { session: {} })
}

/** An engine whose first device has no memory for a buffer, and the second has. */
async function start(maxConcurrent = 1) {
  const full = await openSession(MISSING)
  const opened: string[] = []
  const source = {
    names: [],
    nameOf: () => 'mine',
    resolve: async () => ({ id: 'mine', folder: '/mine' }),
    describe: async () => ({ kind: 'decisions', bytes: 1 }),
    open: async (_: unknown, backend: Backend) => ({
      decide: async () => (backend.name === 'webgpu' ? full.run({}) : { answers: {} }),
      dispose: () => void opened.push('closed'),
    }),
  } as unknown as TaskSource
  const connect = connectInline(
    () => source,
    async () => {
      opened.push('started')
      const name = opened.length === 1 ? 'webgpu' : 'wasm'
      return { backend: { name, dispose: async () => {} }, chosen: name } as unknown as BackendChoice
    },
  )
  const options = resolveOptions({ backend: 'cpu', threads: 1, maxConcurrent }, {})
  return { engine: await startEngine(options, connect, source), opened }
}

const REQUEST = { state: 'It is ten.', questions: { late: { type: 'noul', instructions: 'Is it late?' } } } as const

it('without memory for a buffer ends the call that needs it alone; what waits and what follows has another', async () => {
  const { engine, opened } = await start()
  const [first, waiting] = await Promise.allSettled([
    engine.decide(REQUEST).catch(async (error: unknown) => [error, await engine.decide(REQUEST)]),
    engine.decide(REQUEST),
  ])
  const full = {
    code: 'insufficient_memory',
    message: expect.stringMatching(/^the GPU has not enough memory.*Close what/),
  }
  expect(first).toMatchObject({ value: [full, { answers: {} }] })
  expect(waiting).toMatchObject({ value: { answers: {} } })
  expect(opened.toSorted()).toEqual(['closed', 'started', 'started'])
  await engine.dispose()
})

it('ends the calls that run beside it so that they may be tried again', async () => {
  const { engine } = await start(2)
  const calls = [engine.decide(REQUEST), engine.decide(REQUEST)]
  const ends = (await Promise.allSettled(calls)) as { readonly reason?: { code: string; retryable: boolean } }[]
  expect(ends.map(({ reason }) => [reason?.code, reason?.retryable])).toEqual([
    ['insufficient_memory', false],
    ['worker_crashed', true],
  ])
  await engine.dispose()
})
