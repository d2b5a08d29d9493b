import { execFileSync } from 'node:child_process'
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import type { Engine } from '../../engine/index.ts'
import { AbortedError, InsufficientMemoryError, InvalidRequestError, type TesseraError } from '../../errors/index.ts'
import { decideRows } from './decide-rows.ts'

vi.mock('node:fs/promises', { spy: true })

const ROWS = ['a', 'b', 'c', 'd']
let folder: string
beforeEach(async () => {
  folder = temporaryFolder()
  await writeFile(
    join(folder, 'rows.jsonl'),
    ROWS.map((state) => `${JSON.stringify({ state, questions: {} })}\n`).join(''),
  )
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
})
afterEach(async () => {
  vi.restoreAllMocks()
})

const out = () => join(folder, 'answers.jsonl')
const read = async () =>
  (await readFile(out(), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

/** Of each row what it was answered, or the code of its error. */
const readOutcomes = async () => (await read()).map(({ answers, error }) => answers ?? error.code)

type Failures = Readonly<Record<string, TesseraError>>

/** Answers with what was asked. */
function run(failures: Failures, signal = new AbortController().signal, each = 'rows.jsonl') {
  const asked: string[] = []
  async function decide({ state }: { readonly state: string }) {
    asked.push(state)
    if (failures[state]) throw failures[state]
    return { answers: state }
  }
  async function* decideMany(requests: AsyncIterable<{ readonly state: string }>) {
    for await (const request of requests)
      yield await decide(request).then(
        (response) => ({ response }),
        (error: unknown) => ({ error }),
      )
  }
  const engine = { models: async () => [], decide, decideMany } as unknown as Engine
  const job = { each: join(folder, each), out: out(), force: false, common: {}, signal }
  return { asked, report: decideRows(engine, job) }
}

const memory = new InsufficientMemoryError('there is none', 'Wait for some')
const wrong = new InvalidRequestError('state', 'is too long')

it('rows that failed for a reason that may be over are asked again by the next run', async () => {
  expect(await run({ b: memory, c: wrong, d: memory }).report).toEqual({ rows: 4, failed: 3 })
  const before = await read()
  await chmod(out(), 0o640)
  const { asked, report } = run({ d: memory })
  expect(await report).toEqual({ rows: 4, failed: 2 })
  expect(asked).toEqual(['b', 'd'])
  const { asked: digest } = before[1]
  expect(await read()).toEqual([before[0], { row: 1, answers: 'b', asked: digest }, before[2], before[3]])
  if (process.platform !== 'win32') expect((await stat(out())).mode & 0o777).toBe(0o640)
  expect(await readdir(folder)).toEqual(['answers.jsonl', 'rows.jsonl'])
})

it.skipIf(process.platform === 'win32')(
  'a file of another user is written in its place, and keeps its mode',
  async () => {
    await run({ b: memory, d: memory }).report
    const [before, { ino }] = [await read(), await stat(out())]
    await chmod(out(), 0o664)
    // So it is where the draft cannot be made one of that user.
    vi.mocked(chmod).mockRejectedValueOnce(Object.assign(new Error('EPERM'), { code: 'EPERM' }))
    expect(await run({ d: wrong }).report).toEqual({ rows: 4, failed: 1 })
    const now = await read()
    expect(now.map(({ answers, error }) => answers ?? error.code)).toEqual(['a', 'b', 'c', 'invalid_request'])
    expect(now[3].asked).toBe(before[3].asked)
    const { ino: same, mode } = await stat(out())
    expect([same, mode & 0o777]).toEqual([ino, 0o664])
  },
)

/** A run that is stopped by its signal as it asks for `d`. */
async function stopAtLast(reason?: unknown) {
  await run({ b: memory, d: memory }).report
  const stop = new AbortController()
  const failures = {
    get d() {
      stop.abort(reason)
      return new AbortedError()
    },
  }
  const { asked, report } = run(failures, stop.signal)
  const error: unknown = await report.catch((thrown: unknown) => thrown)
  return { asked, error }
}

it('answers that have come are kept where the command is stopped, and the next one goes on', async () => {
  const { asked, error } = await stopAtLast()
  expect(asked).toEqual(['b', 'd'])
  expect(error).toMatchObject({ code: 'aborted', message: expect.stringContaining('the same command goes on') })
  expect(await readOutcomes()).toEqual(['a', 'b', 'c', 'insufficient_memory'])
  expect(await readdir(folder)).toEqual(['answers.jsonl', 'rows.jsonl'])
  const next = run({})
  expect(await next.report).toEqual({ rows: 4, failed: 0 })
  expect(next.asked).toEqual(['d'])
})

it('answers that came in a minute are in the file while others are asked', async () => {
  await run({ b: memory, c: wrong, d: memory }).report
  let minutes = 0
  vi.spyOn(performance, 'now').mockImplementation(() => 61_000 * minutes++)
  let meanwhile: Promise<unknown> | undefined
  const failures = {
    get d() {
      meanwhile ??= readOutcomes()
      return memory
    },
  }
  const { asked, report } = run(failures)
  expect(await report).toEqual({ rows: 4, failed: 2 })
  expect(asked).toEqual(['b', 'd'])
  expect(await meanwhile).toEqual(['a', 'b', 'invalid_request', 'insufficient_memory'])
  expect(await readOutcomes()).toEqual(['a', 'b', 'invalid_request', 'insufficient_memory'])
})

it('the file stays as it is where another command has taken it over', async () => {
  const taken = new InvalidRequestError('--out', 'another command took the file over')
  const { error } = await stopAtLast(taken)
  expect(error).toMatchObject({ code: 'invalid_request' })
  expect(await readOutcomes()).toEqual(['a', 'insufficient_memory', 'c', 'insufficient_memory'])
  expect(await readdir(folder)).toEqual(['answers.jsonl', 'rows.jsonl'])
})

it('rows that are added are answered behind them', async () => {
  await run({ b: memory }).report
  await writeFile(join(folder, 'rows.jsonl'), `${JSON.stringify({ state: 'e', questions: {} })}\n`, { flag: 'a' })
  const { asked, report } = run({})
  expect(await report).toEqual({ rows: 5, failed: 0 })
  expect(asked).toEqual(['b', 'e'])
  expect((await read()).map(({ answers }) => answers)).toEqual([...ROWS, 'e'])
})

it.skipIf(process.platform === 'win32')('rows of a pipe are not asked again, which is told', async () => {
  await run({ b: memory }).report
  execFileSync('mkfifo', [join(folder, 'pipe.jsonl')])
  const written = writeFile(join(folder, 'pipe.jsonl'), await readFile(join(folder, 'rows.jsonl')))
  const { asked, report } = run({}, undefined, 'pipe.jsonl')
  expect(await report).toEqual({ rows: 4, failed: 1 })
  await written
  expect(asked).toEqual([])
  const told = vi.mocked(process.stderr.write).mock.calls.flat().join('')
  expect(told).toMatch(/not asking the 1 rows .* again, as .*pipe\.jsonl is read only once/)
})
