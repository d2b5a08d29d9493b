import { defineCommand, runCommand as runCitty } from 'citty'
import { afterEach, expect, it, vi } from 'vitest'
import { runCommand } from './run-command.ts'

afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = undefined
})

it('prints a document of an error that nobody foresaw too, with what the system says', async () => {
  const [out, err] = [[], []] as string[][]
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => out!.push(String(text)) > 0)
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => err!.push(String(text)) > 0)
  const command = defineCommand({
    args: { json: { type: 'boolean' } },
    run: (context) =>
      runCommand(context, () => Promise.reject(Object.assign(new Error("EIO: i/o error, read '/a'"), { code: 'EIO' }))),
  })
  await runCitty(command, { rawArgs: ['--json'] })
  const error = { code: 'internal_error', message: "EIO: i/o error, read '/a'", retryable: false }
  expect(JSON.parse(out!.join(''))).toEqual({ error })
  expect(err!.join('')).toMatch(/^.*EIO: i\/o error[^]*caused by Error EIO\n +at /)
  expect(process.exitCode).toBe(1)
})
