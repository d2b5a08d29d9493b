import { expect, it } from 'vitest'
import { measureEventLoopDelay } from './event-loop-delay.ts'

it('notices work that keeps the thread from turning', async () => {
  const { result, maxMs } = await measureEventLoopDelay(async () => {
    await new Promise((resolve) => setTimeout(resolve, 20))
    const end = performance.now() + 100
    while (performance.now() < end);
    return 'done'
  })
  expect(result).toBe('done')
  // The thread was certainly blocked for 100 ms; slow machines only add to it.
  expect(maxMs).toBeGreaterThan(80)
})
