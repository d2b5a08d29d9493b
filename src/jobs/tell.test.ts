import { expect, it } from 'vitest'
import { tell } from './tell.ts'

it('hands on what is told, and what the listener throws at once or later', async () => {
  const seen: number[] = []
  const faults: unknown[] = []
  const fail = (error: unknown) => void faults.push(error)
  tell((news: number) => seen.push(news), 1, fail)
  tell(
    () => {
      throw new Error('at once')
    },
    2,
    fail,
  )
  tell(() => Promise.reject(new Error('later')), 3, fail)
  tell(async () => {}, 4, fail)
  tell(undefined, 5, fail)
  await new Promise((resolve) => setImmediate(resolve))
  expect(seen).toEqual([1])
  expect(faults).toEqual([new Error('at once'), new Error('later')])
})
