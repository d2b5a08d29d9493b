import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import type { Engine } from '../engine.ts'
import { runFake, startFakeEngine } from '../test-support/engines.ts'
import type { FakeState } from '../test-support/fake-task.ts'
import { connectWorker } from './worker-connection.ts'

const settle = (job: Promise<unknown>) => job.catch((error: unknown) => error)

describe('an engine whose worker ends', () => {
  let engine: Engine
  afterEach(() => engine.dispose())

  it.each([
    ['exits', 'exit', 'it exited with code 3'],
    ['throws outside of any job', 'uncaught', 'it threw RangeError, see `cause`'],
    ['could not load its code', 'out of files', expect.stringContaining('too many files are open')],
  ] as const)('rejects the jobs that ran there when it %s, and serves the next', async (_, fail, reason) => {
    engine = await startFakeEngine({ worker: true })
    const jobs = [settle(runFake(engine, { fail })), settle(runFake(engine, { hold: true }))]
    const crash = { code: 'worker_crashed', retryable: true, reason }
    expect(await Promise.all(jobs)).toMatchObject([crash, crash])
    expect(await runFake(engine, { name: 'a', steps: 1 })).toBe('a1')
    expect(engine.backendInfo().backend).toBe('cpu')
  })

  it('keeps the waiting jobs and serves them from the new worker', async () => {
    engine = await startFakeEngine({ worker: true, maxConcurrent: 1 })
    const crashed = settle(runFake(engine, { fail: 'exit' }))
    const waiting = [runFake(engine, { name: 'a', steps: 1 }), runFake(engine, { name: 'b', steps: 1 })]
    expect(await crashed).toMatchObject({ code: 'worker_crashed' })
    expect(await Promise.all(waiting)).toEqual(['a1', 'a1 b1'])
  })

  it('rejects a picture that was being made, and makes the next', async () => {
    engine = await startFakeEngine({ worker: true })
    const make = (state: FakeState) => engine.generateImage({ prompt: JSON.stringify(state) })
    const crash = { code: 'worker_crashed', retryable: true }
    const outcomes = await Promise.all([settle(make({ hold: true })), settle(make({ fail: 'exit' }))])
    expect(outcomes).toMatchObject([crash, crash])
    expect(await make({ name: 'a', steps: 1 })).toEqual({ data: [{ b64_json: 'a1' }] })
  })

  it('survives a worker that runs out of memory', async () => {
    engine = await startFakeEngine({ worker: true }, { maxOldGenerationSizeMb: 64 })
    await expect(runFake(engine, { fail: 'memory' })).rejects.toMatchObject({
      code: 'worker_crashed',
      reason: 'it ran out of memory',
    })
    expect(await runFake(engine, { name: 'a', steps: 1 })).toBe('a1')
  })

  it('can be disposed while a worker computes without end', async () => {
    engine = await startFakeEngine({ worker: true })
    let job: Promise<unknown> | undefined
    await new Promise<void>((resolve) => {
      job = settle(runFake(engine, { steps: 1, burn: 1e9 }, { onProgress: () => resolve() }))
    })
    await engine.dispose()
    expect(await job).toMatchObject({ code: 'engine_disposed' })
  })
})

it('says that no worker starts where the working folder is gone', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'worker.mjs')
  // What Node throws there, which a test that shares its process cannot have it do.
  await writeFile(file, "throw Object.assign(new Error('uv_cwd'), { code: 'ENOENT', syscall: 'uv_cwd' })")
  const reason = await new Promise((resolve) => {
    connectWorker(pathToFileURL(file))({ onMessage: () => {}, onCrash: resolve })
  })
  expect(reason).toMatch(/^the working folder of the app is gone/)
})
