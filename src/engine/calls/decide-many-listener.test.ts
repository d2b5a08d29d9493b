import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { DecisionRequestInput } from '../../schemas/index.ts'
import { QUESTIONS } from '../test-support/engines.ts'
import { createDecider } from '../test-support/slow-decider.ts'
import { decideEach } from './decide-many.ts'

const request = (state: object): DecisionRequestInput => ({ state, questions: QUESTIONS })

describe('a listener of outcomes', () => {
  const never = () => new Promise<never>(() => {})
  const full = new Error('full')

  it.each([
    ['at once', Promise.reject.bind(Promise, full)],
    [
      'without a promise',
      () => {
        throw full
      },
    ],
  ])('ends the loop in place of the outcome that it fails for %s', async (_, fail: () => unknown) => {
    const { counts, decide } = createDecider()
    const requests = [20, 1, 10_000].map((wait) => request({ wait }))
    const onResult = ({ index }: { index: number }) => (index === 1 ? fail() : undefined)
    const seen: number[] = []
    const take = async () => {
      for await (const { index } of decideEach(decide, requests, { onResult })) seen.push(index)
    }
    await expect(take()).rejects.toBe(full)
    expect(seen).toEqual([0])
    expect(counts.aborted).toBe(1)
  })

  it.each([[[1, 10_000]], [[1]]])('ends the loop with what it throws later, for waits of %j', async (waits) => {
    const { decide } = createDecider()
    const requests = waits.map((wait) => request({ wait }))
    const seen: number[] = []
    const take = async () => {
      const onResult = () => sleep(20).then(() => Promise.reject(full))
      for await (const { index } of decideEach(decide, requests, { onResult })) seen.push(index)
    }
    await expect(take()).rejects.toBe(full)
    expect(seen).toEqual([0])
  })

  it('keeps neither its outcome, nor its place, nor the loop from being left', async () => {
    const { decide } = createDecider()
    const seen: number[] = []
    const requests = [1, 1, 1, 1].map((wait) => request({ wait }))
    for await (const { index } of decideEach(decide, requests, { concurrency: 1, onResult: never }))
      if (seen.push(index) === 3) break
    expect(seen).toEqual([0, 1, 2])
  })

  it('keeps the end from nobody who aborts', async () => {
    const { decide } = createDecider()
    const controller = new AbortController()
    const outcomes = decideEach(decide, [request({})], { signal: controller.signal, onResult: never })
    expect((await outcomes.next()).value).toMatchObject({ index: 0 })
    const end = outcomes.next()
    controller.abort('enough')
    await expect(end).rejects.toMatchObject({ code: 'aborted', cause: 'enough' })
  })

  it('that throws when the loop is over is a warning', async () => {
    const { decide } = createDecider()
    const warned = new Promise((resolve) => process.once('warning', resolve))
    let fail = () => {}
    const onResult = () => new Promise<never>((_, reject) => (fail = () => reject(full)))
    for await (const _ of decideEach(decide, [request({}), request({ wait: 10_000 })], { onResult })) break
    fail()
    expect(await warned).toMatchObject({ message: 'full' })
  })

  it('begins the queries that it returns, as those of databases wait for that, and ends with their faults', async () => {
    const { decide } = createDecider()
    let begun = 0
    const query = (end: () => Promise<void>) => ({
      // oxlint-disable-next-line unicorn/no-thenable
      then: (...to: Parameters<Promise<void>['then']>) => (begun++, end().then(...to)),
    })
    const take = async (end: () => Promise<void>) => {
      const taken = decideEach(decide, [request({ wait: 1 })], { onResult: () => query(end) })
      for await (const { index } of taken) expect(index).toBe(0)
    }
    await take(() => sleep(20))
    expect(begun).toBe(1)
    await expect(take(() => Promise.reject(full))).rejects.toBe(full)
  })
})
