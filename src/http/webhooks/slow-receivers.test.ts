import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { EndedJob } from './kept-webhooks.ts'
import { SlowReceivers } from './slow-receivers.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function jobOf(account: string, receiver: string): EndedJob {
  const webhook = `https://${receiver}.example/ended`
  return { id: 'job_1', account, status: 'succeeded', path: '/v1/systemone', createdAt: 1, endedAt: 2, webhook }
}

const never = () => new Promise<void>(() => {})

/** Of which `dead` of the account `me` is known to be slow, and has so many tries under way. */
async function slowWith(underway: number): Promise<SlowReceivers> {
  const slow = new SlowReceivers()
  const late = slow.during(jobOf('me', 'dead'), () => new Promise((resolve) => setTimeout(resolve, 6000)))
  await vi.advanceTimersByTimeAsync(6000)
  await late
  for (let index = 0; index < underway; index++) void slow.during(jobOf('me', 'dead'), never)
  return slow
}

it('a receiver that is slow waits with its next tries where there are many', async () => {
  const slow = await slowWith(128)
  expect(slow.isFull(jobOf('me', 'dead'))).toBe(true)
})

it('no other receiver of its account waits for it', async () => {
  const slow = await slowWith(128)
  expect(slow.isFull(jobOf('me', 'alive'))).toBe(false)
})

it('has the places that nobody else wants', async () => {
  const slow = await slowWith(100)
  expect(slow.isFull(jobOf('me', 'dead'))).toBe(false)
})

it('is not slow any more when it answers soon', async () => {
  const slow = await slowWith(128)
  await slow.during(jobOf('me', 'alive'), async () => {})
  expect(slow.isFull(jobOf('me', 'dead'))).toBe(true)
  await slow.during(jobOf('me', 'dead'), async () => {})
  expect(slow.isFull(jobOf('me', 'dead'))).toBe(false)
})

it('receivers that are not known wait where an account has one for each webhook', async () => {
  const slow = new SlowReceivers()
  await slow.during(jobOf('me', 'known'), async () => {})
  for (let index = 0; index < 128; index++) void slow.during(jobOf('me', `customer-${index}`), never)
  expect(slow.isFull(jobOf('me', 'customer-128'))).toBe(true)
  expect(slow.isFull(jobOf('me', 'known'))).toBe(false)
  expect(slow.isFull(jobOf('other', 'alive'))).toBe(false)
})
