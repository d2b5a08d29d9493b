import { runCommand } from 'citty'
import { afterEach, expect, it, vi } from 'vitest'
import { serveCommand } from './serve-command.ts'

vi.mock(import('./serve-models.ts'), () => ({
  openModels: () =>
    Promise.resolve({
      engine: { [Symbol.asyncDispose]: () => Promise.resolve() } as never,
      requires: [],
      preload: () => {
        process.emit('SIGTERM', 'SIGTERM')
        return Promise.reject(new Error('it went on'))
      },
    }),
}))

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  process.exitCode = undefined
})

it('ends at once while it opens its models, also as the first process of a container, to which signals do nothing', async () => {
  vi.stubEnv('TESSERA_API_KEYS', 'a')
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never)
  await runCommand(serveCommand, { rawArgs: ['--preload', '--store', 'memory'] })
  expect([kill.mock.calls, exit.mock.calls]).toEqual([[[process.pid, 'SIGTERM']], [[143]]])
})
