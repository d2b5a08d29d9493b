import { Writable } from 'node:stream'
import { expect, it, vi } from 'vitest'
import { LateError } from '../errors/in-time.ts'
import { errorFromJSON, InternalError, ModelFormatError } from '../errors/index.ts'
import { describeFault, showFault } from './describe-fault.ts'

/** The kind of error that a file system throws, whose message spans lines. */
function foreign(message = 'CANARY\n    at CANARY (quoted.js:1:1)', cause?: unknown): Error {
  return Object.assign(new TypeError(message, { cause }), { code: 'ENOENT' })
}

it('names each cause, its code and where it was thrown, without what it says', () => {
  const text = describeFault(new InternalError(undefined, { cause: foreign(undefined, foreign('CANARY too')) }))
  expect(text.match(/^caused by TypeError ENOENT\n +at .*describe-fault\.test\.ts/gm)).toHaveLength(2)
  expect(text).toMatch(/^InternalError: /)
  expect(text).not.toContain('CANARY')
})

it('does so for what came from a worker thread', () => {
  const text = describeFault(
    errorFromJSON(JSON.parse(JSON.stringify(new InternalError(undefined, { cause: foreign() })))),
  )
  expect(text).toMatch(/^caused by TypeError\n +at .*describe-fault\.test\.ts/m)
  expect(text).not.toContain('CANARY')
})

it('quotes errors of this library', () => {
  const cause = new ModelFormatError('config.json', 'hidden_size: number', 'nothing')
  expect(describeFault(new InternalError(undefined, { cause }))).toContain(
    `caused by ModelFormatError: ${cause.message}\n`,
  )
})

it('shows no value that was thrown, nor a name or code that is no word, and ends where causes loop', () => {
  const looping = foreign('x')
  looping.cause = looping
  expect(describeFault(new InternalError(undefined, { cause: looping })).match(/^caused by/gm)).toHaveLength(8)
  const odd = Object.assign(new Error('x'), { name: 'the CANARY', code: 'a CANARY' })
  for (const cause of ['CANARY', { CANARY: 1 }, odd]) {
    expect(describeFault(new InternalError(undefined, { cause }))).not.toContain('CANARY')
  }
})

it('says why a store refuses, and nothing else of what it says', () => {
  const full = Object.assign(new Error('UNIQUE constraint failed: CANARY'), {
    code: 'ERR_SQLITE_ERROR',
    errcode: 13,
    errstr: 'database or disk is full',
  })
  for (const [cause, told] of [
    [full, 'Error ERR_SQLITE_ERROR (database or disk is full)'],
    [new Error('WRONGPASS invalid CANARY'), 'Error (WRONGPASS)'],
    [new Error("OOM command not allowed when used memory > 'maxmemory'. CANARY"), 'Error (OOM)'],
    [new LateError('the store', 2000), 'LateError (the store did not answer within 2000 ms)'],
    [new Error('CANARY of a request'), 'Error'],
    [new Error('OOMEN CANARY'), 'Error'],
  ] as const) {
    const text = describeFault(new InternalError(undefined, { cause }))
    expect(text).toContain(`caused by ${told}\n`)
    expect(text).not.toContain('CANARY')
  }
})

it('is shown on a stderr that cannot be written without ending the process, also where one follows another', async () => {
  const stderr = new Writable({ write: (_chunk, _encoding, done) => done(new Error('no space left')) })
  const emit = stderr.emit.bind(stderr)
  const heard: boolean[] = []
  vi.spyOn(stderr, 'emit').mockImplementation((event, ...args: unknown[]) => {
    if (event !== 'error') return emit(event, ...args)
    // What nobody hears ends the process.
    return heard.push(stderr.listenerCount('error') > 0) > 0
  })
  vi.spyOn(process, 'stderr', 'get').mockReturnValue(stderr as typeof process.stderr)
  const show = () => showFault('500 /v1/systemone req_1', new InternalError())
  show()
  // Between what is told to who wrote, and what to all that listen.
  process.nextTick(show)
  await new Promise((resolve) => setImmediate(resolve))
  vi.restoreAllMocks()
  expect(heard.length).toBeGreaterThan(0)
  expect(heard).not.toContain(false)
  expect(stderr.listenerCount('error')).toBe(1)
})
