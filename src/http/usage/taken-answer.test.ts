import { expect, it, vi } from 'vitest'
import { RunningWork } from './running-work.ts'

it('what does not linger has its answer where it is charged already', async () => {
  const controller = new AbortController()
  let settle = () => {}
  const settled = new Promise<void>((resolve) => (settle = resolve))
  const begun = vi.fn<() => void>()
  const asked = { account: 'a', retryCount: 0, isShared: false, mayLinger: false, text: () => '' }
  const answer = new RunningWork().run(asked, controller.signal, async (_ended, { attended }) => {
    await attended()
    begun()
    await settled
    return 'answer'
  })
  await vi.waitUntil(() => begun.mock.calls.length === 1, { timeout: 60_000 })
  controller.abort()
  settle()
  expect(await answer).toBe('answer')
})
