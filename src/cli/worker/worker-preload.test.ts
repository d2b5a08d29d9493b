import { runCommand } from 'citty'
import { afterEach, expect, it, vi } from 'vitest'
import { InsufficientMemoryError } from '../../errors/index.ts'
import { runWorker } from '../../queue/index.ts'
import { workerCommand } from './worker-command.ts'

const load = vi.hoisted(() => vi.fn<(name: string, options: { signal: AbortSignal }) => Promise<void>>())
vi.mock(import('../open-engine.ts'), () => ({
  openEngine: () =>
    Promise.resolve({
      load,
      models: () => Promise.resolve([]),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }) as never,
}))
vi.mock(import('../../queue/index.ts'), () => ({ runWorker: vi.fn<typeof runWorker>() }) as never)

afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = undefined
})

async function work(...more: string[]): Promise<string> {
  const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const rawArgs = ['--queue', 'redis://127.0.0.1:1', '--preload', '--use', 'a,other=b', ...more]
  await runCommand(workerCommand, { rawArgs })
  return printed.mock.calls.join('')
}

it('takes no work where it is told to end while it opens its models', async () => {
  load.mockImplementation((_, { signal }) => {
    process.emit('SIGTERM', 'SIGTERM')
    return signal.aborted ? Promise.reject(signal.reason as Error) : Promise.resolve()
  })
  expect([await work(), process.exitCode]).toEqual(['', undefined])
  expect(load).toHaveBeenCalledOnce()
  expect(runWorker).not.toHaveBeenCalled()
})

it('says why a model cannot be opened', async () => {
  load.mockRejectedValue(new InsufficientMemoryError('too large', 'Take a smaller one', { needed: 1 }))
  expect(await work()).toContain('too large')
  expect(process.exitCode).toBe(1)
  expect(runWorker).not.toHaveBeenCalled()
})

it.each([
  ['--lease', '0.5s', '1s or longer'],
  ['--lease', '25d', '24d or shorter'],
  ['--grace', '600h', '24d or shorter'],
])('refuses %s %s before it opens anything', async (flag, given, expected) => {
  load.mockClear()
  expect(await work(flag, given)).toContain(`${flag}: must be ${expected}, got '${given}'`)
  expect([process.exitCode, load.mock.calls]).toEqual([2, []])
})
