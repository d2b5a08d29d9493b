import { defineCommand, runCommand as runCitty } from 'citty'
import { afterEach, expect, it, vi } from 'vitest'
import { AbortedError, ModelFormatError } from '../errors/index.ts'
import { notWritten } from './output-files.ts'
import { printWarnings } from './print-warnings.ts'
import { printResult, runCommand } from './run-command.ts'
import { untilInterrupted } from './until-interrupted.ts'

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

it('prints what somebody wrote into a name as text, and nothing that the terminal would do', async () => {
  const [out, err] = [[], []] as string[][]
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => out!.push(String(text)) > 0)
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => err!.push(String(text)) > 0)
  const name = '\u001b]0;title\u0007'
  const command = defineCommand({
    run: (context) =>
      runCommand(context, async () => {
        printWarnings({ warnings: [{ message: name }] })
        printResult(false, {}, () => name)
        throw new ModelFormatError('/m', 'tensors', name)
      }),
  })
  await runCitty(command, { rawArgs: [] })
  expect(out).toEqual(['\\u001b]0;title\\u0007\n'])
  expect(err!.map((line) => line.split(']')[1])).toEqual(['0;title\\u0007\n', '0;title\\u0007\n'])
})

it.each([
  ['SIGINT', 130, 'stopped by SIGINT', (reason: unknown) => new AbortedError(undefined, { cause: reason })],
  ['SIGTERM', 143, 'stopped by SIGTERM', (reason: unknown) => new Error('aborted', { cause: reason })],
  [
    'SIGTERM',
    143,
    'after row 3',
    (reason: unknown) => new AbortedError('after row 3', { cause: new AbortedError(undefined, { cause: reason }) }),
  ],
  ['SIGTERM', 1, 'stopped after row 3', () => new AbortedError('stopped after row 3')],
] as const)('ends after %s with %i where that is why it stopped: %s', async (name, status, message, fail) => {
  const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const stopped = untilInterrupted()
  process.emit(name, name)
  const command = defineCommand({ run: (context) => runCommand(context, () => Promise.reject(fail(stopped.reason))) })
  await runCitty(command, { rawArgs: [] })
  expect(printed.mock.calls.join('')).toMatch(new RegExp(`^.*error.* ${message}\n$`))
  expect(process.exitCode).toBe(status)
})

it('says it in place of progress that stands in the line of a terminal', async () => {
  const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const before = process.stderr.isTTY
  process.stderr.isTTY = true
  await runCitty(
    defineCommand({ run: (context) => runCommand(context, () => Promise.reject(new AbortedError('no'))) }),
    {
      rawArgs: [],
    },
  )
  process.stderr.isTTY = before
  expect(printed.mock.calls.join('').startsWith('\r\x1b[K')).toBe(true)
})

const refused = { code: 'invalid_request', path: '--out' }

it.each([
  ['ENOSPC', 1, { code: 'internal_error' }],
  ['EDQUOT', 1, { code: 'internal_error' }],
  ['EACCES', 2, refused],
  ['EISDIR', 2, refused],
])('ends with a file that could not be written for %s with %i, and says %o', async (code, status, said) => {
  const [out, err] = [[], []] as string[][]
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => out!.push(String(text)) > 0)
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => err!.push(String(text)) > 0)
  const failure = notWritten('--out', 'a.json', Object.assign(new Error(code), { code }))
  const command = defineCommand({
    args: { json: { type: 'boolean' } },
    run: (context) => runCommand(context, () => Promise.reject(failure)),
  })
  await runCitty(command, { rawArgs: ['--json'] })
  const message = `--out: a.json could not be written (${code})`
  expect(JSON.parse(out!.join(''))).toEqual({ error: { ...said, message, retryable: false } })
  expect(err!.join('')).toMatch(/^.*error.* --out: a\.json could not be written \([A-Z]+\)\n$/)
  expect(process.exitCode).toBe(status)
})
