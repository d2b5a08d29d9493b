import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { decodingTurns, inDecodingTurn } from './decoding-turn.ts'

const cells = new BigInt64Array(decodingTurns)

it('waits for the turn of another thread', async () => {
  const other = process.hrtime.bigint()
  Atomics.store(cells, 0, other)
  let done = false
  const work = inDecodingTurn(async () => (done = true))
  await sleep(100)
  expect(done).toBe(false)
  Atomics.compareExchange(cells, 0, other, 0n)
  await work
  expect(done).toBe(true)
  expect(Atomics.load(cells, 0)).toBe(0n)
})

it('takes the turn of a thread that has had it too long, as one that was stopped', async () => {
  Atomics.store(cells, 0, process.hrtime.bigint() - 11_000_000_000n)
  expect(await inDecodingTurn(async () => 'done')).toBe('done')
  expect(Atomics.load(cells, 0)).toBe(0n)
})

it('goes on behind work that fails', async () => {
  const failed = inDecodingTurn(() => Promise.reject(new Error('damaged')))
  const next = inDecodingTurn(async () => 'done')
  await expect(failed).rejects.toThrow('damaged')
  expect(await next).toBe('done')
})
