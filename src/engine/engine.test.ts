import { getEventListeners } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import type { Progress } from '../jobs/job-context.ts'
import type { QuestionsInput } from '../schemas/index.ts'
import type { Engine } from './engine.ts'
import type { EngineOptions } from './options/resolve-options.ts'
import { QUESTIONS, runFake, startFakeEngine } from './test-support/engines.ts'

describe.each([{ worker: false }, { worker: true }])('an engine with worker: $worker', ({ worker }) => {
  let engine: Engine
  const start = async (options: EngineOptions = {}) => (engine = await startFakeEngine({ worker, ...options }))
  afterEach(() => engine.dispose())

  it('does jobs and tells which backend runs them', async () => {
    await start()
    expect(await runFake(engine, { name: 'a', steps: 2 })).toBe('a1 a2')
    expect(engine.backendInfo()).toMatchObject({
      backend: 'cpu',
      reason: 'asked for by name',
      threads: 1,
      attention: 'fused',
      precision: 'float32',
      worker,
      runtime: expect.stringMatching(/^onnxruntime-node/),
    })
  })

  it('lists the models it serves and why one is missing', async () => {
    await start()
    expect(await engine.models()).toEqual([
      { name: 'decide-latest', id: 'fake', available: true, kind: 'decisions', bytes: 100 },
      { name: 'missing', available: false, reason: expect.stringContaining('tessera pull missing') },
    ])
  })

  it('keeps the names of questions, __proto__ among them, and their order', async () => {
    await start()
    const names = ['z', '__proto__', 'constructor', 'a']
    const questions = Object.fromEntries(names.map((name) => [name, QUESTIONS.q]))
    const counted = await engine.countTokens({ state: '', questions: JSON.parse(JSON.stringify(questions)) })
    expect(JSON.stringify(counted.questions)).toBe('{"z":1,"__proto__":1,"constructor":1,"a":1}')
  })

  it('rejects an invalid request with its path before it reaches the queue', async () => {
    await start({ maxConcurrent: 1, maxQueue: 0 })
    const held = runFake(engine, { hold: true }).catch((error: unknown) => error)
    await expect(engine.decide({ state: '', questions: {} as QuestionsInput })).rejects.toMatchObject({
      code: 'invalid_request',
    })
    await engine.dispose()
    expect(await held).toMatchObject({ code: 'engine_disposed' })
  })

  it('reports progress in order', async () => {
    await start()
    const seen: Progress[] = []
    await runFake(engine, { name: 'a', steps: 3 }, { onProgress: (progress) => seen.push(progress) })
    expect(seen).toEqual([1, 2, 3].map((done) => ({ stage: 'a', done, total: 3 })))
  })

  it('lets running jobs take turns', async () => {
    await start()
    // Both wait for the release, so that neither has a head start.
    const jobs = ['a', 'b'].map((name) => runFake(engine, { name, hold: true, steps: 3 }))
    await runFake(engine, { release: true })
    const log = (await Promise.all(jobs)).toSorted((one, other) => one.length - other.length).at(-1)
    expect(['a1 b1 a2 b2 a3 b3', 'b1 a1 b2 a2 b3 a3']).toContain(log)
  })

  it('serves waiting jobs round-robin over clients', async () => {
    await start({ maxConcurrent: 1 })
    const controller = new AbortController()
    const { signal } = controller
    // One for the place, one for what a client without a running job may have beside it.
    const held = ['x', 'y'].map((client) =>
      expect(runFake(engine, { hold: true }, { signal, client })).rejects.toMatchObject({ code: 'aborted' }),
    )
    const jobs = ['a1.', 'a2.', 'a3.', 'b1.', 'c1.', 'b2.'].map((name) =>
      runFake(engine, { name, steps: 1 }, { client: name.slice(0, 1) }),
    )
    controller.abort()
    await Promise.all(held)
    const logs = await Promise.all(jobs)
    expect(logs.toSorted((one, other) => one.length - other.length).at(-1)).toBe('a1.1 b1.1 c1.1 a2.1 b2.1 a3.1')
  })

  it('lets a client with nothing running start beside one that holds all places, and no more than twice as many', async () => {
    await start({ maxConcurrent: 2 })
    const held = (client: string) => runFake(engine, { hold: true }, { client }).catch((error: unknown) => error)
    const jobs = [held('a'), held('a'), held('a')]
    expect(await runFake(engine, { name: 'b', steps: 1 }, { client: 'b' })).toBe('b1')
    jobs.push(held('b'), held('c'))
    let served = false
    const late = runFake(engine, { name: 'd', steps: 1 }, { client: 'd' }).then(
      () => (served = true),
      () => {},
    )
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(served).toBe(false)
    await engine.dispose()
    await Promise.all([...jobs, late])
  })

  it('lets calls for an open model compute while another model is opened, and gives up waiting when aborted', async () => {
    await start({ maxConcurrent: 2 })
    await runFake(engine, { name: 'a', steps: 1 })
    const controller = new AbortController()
    const opening = engine.decide(
      { model: 'opens-late', state: '', questions: QUESTIONS },
      { signal: controller.signal },
    )
    expect(await runFake(engine, { name: 'b', steps: 1 })).toBe('a1 b1')
    controller.abort('enough')
    await expect(opening).rejects.toMatchObject({ code: 'aborted' })
    // Both places are free again.
    const jobs = ['c', 'd'].map((name) => runFake(engine, { name, hold: true, steps: 1 }))
    await runFake(engine, { release: true }, { client: 'other' })
    expect(await Promise.all(jobs)).toHaveLength(2)
  })

  it('refuses at once what exceeds the queue', async () => {
    await start({ maxConcurrent: 1, maxQueue: 1 })
    const first = runFake(engine, { hold: true }).catch((error: unknown) => error)
    const second = runFake(engine, {}).catch((error: unknown) => error)
    await expect(runFake(engine, {})).rejects.toMatchObject({ code: 'overloaded', retryable: true })
    await engine.dispose()
    expect(await Promise.all([first, second])).toMatchObject([{ code: 'engine_disposed' }, { code: 'engine_disposed' }])
  })

  it('takes a call of a client that has none from what others fill, up to twice as many', async () => {
    await start({ maxConcurrent: 1, maxQueue: 1 })
    const call = (client: string, state = {}) => runFake(engine, state, { client }).catch((error: unknown) => error)
    const held = ['a', 'a', 'b', 'c'].map((client) => call(client, { hold: true }))
    expect(await call('b')).toMatchObject({ code: 'overloaded' })
    expect(await call('d')).toMatchObject({ code: 'overloaded' })
    await engine.dispose()
    expect(await Promise.all(held)).toMatchObject(held.map(() => ({ code: 'engine_disposed' })))
  })

  it('passes the errors of a task on, with their class', async () => {
    await start()
    await expect(engine.decide({ model: 'missing', state: '', questions: QUESTIONS })).rejects.toMatchObject({
      code: 'model_not_found',
      model: 'missing',
      command: 'tessera pull missing',
    })
    await expect(runFake(engine, { fail: 'throw' })).rejects.toMatchObject({
      code: 'internal_error',
      cause: expect.objectContaining({ message: 'the task failed' }),
    })
    await expect(engine.decide({ model: 'no-jobs', state: '', questions: QUESTIONS })).rejects.toMatchObject({
      code: 'invalid_request',
      path: 'model',
      reason: "'no-jobs' is not a model for decide",
    })
  })

  it('rejects before any work when the signal has already fired', async () => {
    await start()
    const signal = AbortSignal.abort('too late')
    const call = runFake(engine, { name: 'a', steps: 1 }, { signal })
    await expect(call).rejects.toMatchObject({ code: 'aborted', cause: 'too late' })
    expect(await runFake(engine, { name: 'b', steps: 1 })).toBe('b1')
  })

  it.each([
    [{ signal: {} }, 'signal: must be an AbortSignal, got an object'],
    [{ onProgress: 5 }, 'onProgress: must be a function, got 5'],
  ])('refuses call options that cannot be used: %j', async (options, message) => {
    await start()
    await expect(runFake(engine, { name: 'a' }, options as never)).rejects.toMatchObject({
      code: 'invalid_request',
      message,
    })
    expect(await runFake(engine, { name: 'b', steps: 1 })).toBe('b1')
  })

  it('leaves no listener on a signal that outlives its calls', async () => {
    await start({ maxConcurrent: 1, maxQueue: 1 })
    const { signal } = new AbortController()
    const outcomes = [{ steps: 1 }, { fail: 'throw' as const }, {}].map((state) => runFake(engine, state, { signal }))
    // Node warns of more than ten.
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    const statuses = (await Promise.allSettled(outcomes)).map(({ status }) => status)
    expect(statuses).toEqual(['fulfilled', 'rejected', 'rejected'])
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('takes an aborted call out of the queue', async () => {
    await start({ maxConcurrent: 1, maxQueue: 1 })
    const running = new AbortController()
    const held = runFake(engine, { hold: true }, { signal: running.signal })
    const waiting = new AbortController()
    const waited = runFake(engine, { name: 'a', steps: 1 }, { signal: waiting.signal })
    waiting.abort('changed my mind')
    await expect(waited).rejects.toMatchObject({ code: 'aborted', cause: 'changed my mind' })
    const next = runFake(engine, { name: 'b', steps: 1 })
    running.abort()
    await expect(held).rejects.toMatchObject({ code: 'aborted' })
    expect(await next).toBe('b1')
  })

  it('stops an aborted job at its next turn', async () => {
    await start()
    const controller = new AbortController()
    const reason = new Error('user left')
    const job = runFake(
      engine,
      { name: 'a', steps: 1e9 },
      {
        signal: controller.signal,
        onProgress: () => controller.abort(reason),
      },
    )
    await expect(job).rejects.toMatchObject({ code: 'aborted', cause: reason })
    const settled = await runFake(engine, {})
    // Had it gone on, it would have done more steps by the time of a third call.
    expect(await runFake(engine, {})).toBe(settled)
  })

  it('rejects what is pending when it is disposed, and everything afterwards', async () => {
    await start({ maxConcurrent: 1 })
    const jobs = [{ hold: true }, {}].map((state) => runFake(engine, state).catch((error: unknown) => error))
    await Promise.all([engine.dispose(), engine[Symbol.asyncDispose]()])
    expect(await Promise.all(jobs)).toMatchObject([{ code: 'engine_disposed' }, { code: 'engine_disposed' }])
    await expect(runFake(engine, {})).rejects.toMatchObject({ code: 'engine_disposed' })
  })

  it('fails to start on a backend that is not here', async () => {
    await start()
    const other = process.platform === 'darwin' ? 'dml' : 'coreml'
    await expect(startFakeEngine({ worker, backend: other })).rejects.toMatchObject({
      code: 'backend_unavailable',
      backend: other,
      remedy: expect.any(String),
    })
  })
})
