import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { endUnread, endWhenInterrupted, untilInterrupted } from './until-interrupted.ts'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

// As for the first process of a container: a signal that it sends itself does nothing.
const kill = vi.spyOn(process, 'kill')
const exit = vi.spyOn(process, 'exit')
beforeEach(() => {
  kill.mockReset().mockReturnValue(true)
  exit.mockReset().mockReturnValue(undefined as never)
})
afterEach(() => {
  vi.useRealTimers()
  for (const name of SIGNALS) process.removeAllListeners(name)
})

it('leaves messages that are not read yet to their reader, unless it was told to end', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'performance'] })
  const stderr = vi.spyOn(process.stderr, 'writableLength', 'get').mockReturnValue(1)
  const stdout = vi.spyOn(process.stdout, 'writableLength', 'get').mockReturnValue(0)
  onTestFinished(() => [stderr, stdout].forEach((spy) => spy.mockRestore()))
  untilInterrupted()
  endUnread()
  vi.advanceTimersByTime(60_000)
  expect(exit.mock.calls).toEqual([])
  process.emit('SIGTERM', 'SIGTERM')
  stdout.mockReturnValue(1)
  vi.advanceTimersByTime(60_000)
  expect(exit.mock.calls).toEqual([])
  stdout.mockReturnValue(0)
  vi.advanceTimersByTime(500)
  expect(exit.mock.calls).toEqual([[]])
})

it.each([
  ['SIGINT', 'SIGINT', 130],
  ['SIGINT', 'SIGTERM', 143],
  ['SIGTERM', 'SIGINT', 130],
  ['SIGTERM', 'SIGTERM', 143],
] as const)('ends after %s at once with the next, %s', (first, second, status) => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const stopped = untilInterrupted()
  expect(stopped.aborted).toBe(false)
  process.emit(first, first)
  expect(stopped.reason).toMatchObject({ signal: first })
  // As npm passes it on, which the terminal has told of it, too.
  vi.advanceTimersByTime(400)
  process.emit(second, second)
  expect([kill.mock.calls, exit.mock.calls]).toEqual([[], []])
  vi.advanceTimersByTime(200)
  process.emit(second, second)
  expect([kill.mock.calls, exit.mock.calls]).toEqual([[[process.pid, second]], [[status]]])
})

it('ends at once with the first before anything is to be put in order', () => {
  endWhenInterrupted()
  process.emit('SIGTERM', 'SIGTERM')
  expect([kill.mock.calls, exit.mock.calls]).toEqual([[[process.pid, 'SIGTERM']], [[143]]])
})

it('ends no longer with the first once something is', () => {
  endWhenInterrupted()
  const stopped = untilInterrupted()
  process.emit('SIGTERM', 'SIGTERM')
  expect([stopped.aborted, kill.mock.calls, exit.mock.calls]).toEqual([true, [], []])
})

it('leaves those alone with the last signal that listen to it for their locks', () => {
  const counts: number[] = []
  endWhenInterrupted()
  process.on('SIGTERM', () => counts.push(process.listenerCount('SIGTERM')))
  process.emit('SIGTERM', 'SIGTERM')
  expect(counts[0]).toBe(1)
  expect(exit.mock.calls).toEqual([[143]])
})
