import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Engine } from '../engine.ts'
import { bundleWorker } from '../test-support/bundle-worker.ts'
import { runFake, startFakeEngine } from '../test-support/engines.ts'

const settle = (job: Promise<unknown>) => job.catch((error: unknown) => error)
const run = promisify(execFile)

/** Processes that this one has started and that run the worker. */
async function listWorkers(parent = process.pid): Promise<number[]> {
  const { stdout } = await run('ps', ['-o', 'pid=,args=', '--ppid', String(parent)]).catch(() => ({ stdout: '' }))
  return stdout.split('\n').flatMap((line) => (line.includes('fake-worker') ? [Number.parseInt(line, 10)] : []))
}

describe.runIf(process.platform === 'linux')('an engine with a process of its own', () => {
  let engine: Engine
  afterEach(() => engine.dispose())

  it('answers there, tells of progress, and takes aborts', async () => {
    engine = await startFakeEngine({ worker: 'process' })
    expect(engine.backendInfo().worker).toBe('process')
    expect(await listWorkers()).toHaveLength(1)
    const done: number[] = []
    expect(await runFake(engine, { name: 'a', steps: 3 }, { onProgress: (told) => done.push(told.done) })).toContain(
      'a3',
    )
    expect(done.length).toBeGreaterThan(0)
    const signal = AbortSignal.timeout(50)
    await expect(runFake(engine, { hold: true }, { signal })).rejects.toMatchObject({ code: 'aborted' })
  })

  it.each([
    ['exits', 'exit', 'its process exited with code 3'],
    ['throws outside of any job', 'uncaught', 'its process exited with code 1'],
    ['could not load its code', 'out of files', expect.stringContaining('too many files are open')],
  ] as const)('rejects the jobs that ran there when it %s, and serves the next', async (_, fail, reason) => {
    engine = await startFakeEngine({ worker: 'process' })
    const jobs = [settle(runFake(engine, { fail })), settle(runFake(engine, { hold: true }))]
    const crash = { code: 'worker_crashed', retryable: true, reason }
    expect(await Promise.all(jobs)).toMatchObject([crash, crash])
    expect(await runFake(engine, { name: 'a', steps: 1 })).toBe('a1')
  })

  it('survives that it is killed, as by a system that is out of memory', async () => {
    engine = await startFakeEngine({ worker: 'process' })
    const job = settle(runFake(engine, { hold: true }))
    const [worker] = await vi.waitUntil(
      async () => {
        const found = await listWorkers()
        return found.length > 0 && found
      },
      { timeout: 60_000 },
    )
    process.kill(worker!, 'SIGKILL')
    expect(await job).toMatchObject({ reason: 'its process was killed, as by a system that is out of memory' })
    expect(await runFake(engine, { name: 'a', steps: 1 })).toBe('a1')
  })

  it('goes on when a terminal or service manager signals it, until the app is done with it', async () => {
    engine = await startFakeEngine({ worker: 'process' })
    expect(await runFake(engine, { name: 'a', steps: 1 })).toBe('a1')
    const [worker] = await listWorkers()
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(worker!, signal)
    expect(await runFake(engine, { name: 'b', steps: 1 })).toBe('a1 b1')
    await engine.dispose()
    expect(await listWorkers()).toEqual([])
  })

  it('can be disposed while it computes without end', async () => {
    engine = await startFakeEngine({ worker: 'process' })
    let job: Promise<unknown> | undefined
    await new Promise<void>((resolve) => {
      job = settle(runFake(engine, { steps: 1, burn: 1e9 }, { onProgress: () => resolve() }))
    })
    await engine.dispose()
    expect(await job).toMatchObject({ code: 'engine_disposed' })
    expect(await listWorkers()).toEqual([])
  })
})

it('lets the process end while an engine with a process of its own is idle, which ends with it', async () => {
  const script = await bundleWorker('src/engine/test-support/idle-script.ts', 'idle-script')
  const worker = await bundleWorker('src/engine/test-support/fake-worker.ts', 'fake-worker')
  // Rejects on an exit code other than 0; a process that stays alive fails by the timeout of the test.
  const { stdout, stderr } = await run(process.execPath, [fileURLToPath(script), worker.href, 'process'])
  expect({ stdout, stderr }).toEqual({ stdout: 'a1 a2', stderr: '' })
})

it('does not start a single executable once more, which would do so in its turn', async () => {
  const builtin = vi.spyOn(process, 'getBuiltinModule').mockReturnValue({ isSea: () => true } as never)
  const started = await settle(startFakeEngine({ worker: 'process' }))
  builtin.mockRestore()
  expect(started).toMatchObject({
    code: 'internal_error',
    retryable: false,
    message: expect.stringContaining('single executable'),
  })
})
