import { afterEach, expect, it, vi } from 'vitest'
import { nextTask } from './next-task.ts'

afterEach(() => void vi.useRealTimers())

it('goes round where a test has put fake timers in place of all that the event loop has', async () => {
  vi.useFakeTimers()
  await nextTask()
  expect(vi.getTimerCount()).toBe(0)
})
