import { afterEach, expect, it, vi } from 'vitest'
import { nextTask } from './next-task.ts'

afterEach(() => void vi.useRealTimers())

it('goes round where a test has put fake timers in place of all that the event loop has', async () => {
  vi.useFakeTimers()
  await nextTask()
  expect(vi.getTimerCount()).toBe(0)
})

it('goes round where they were in place when it was loaded, and no longer are', async () => {
  vi.useFakeTimers()
  // Under another name, as the files that share this process have loaded it before.
  const name = './next-task.ts?under-fake-timers'
  const loaded = (await import(name)) as { readonly nextTask: typeof nextTask }
  vi.useRealTimers()
  expect(loaded.nextTask).not.toBe(nextTask)
  await loaded.nextTask()
})
