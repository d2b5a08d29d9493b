import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { DecisionRequestInput } from '../../schemas/index.ts'
import { decideMany } from '../default-engine.ts'
import { QUESTIONS, runFake, startFakeEngine } from '../test-support/engines.ts'
import { createDecider } from '../test-support/slow-decider.ts'
import type { CallOptions } from './call-options.ts'
import { decideEach, type DecisionOutcome } from './decide-many.ts'

const request = (state: object): DecisionRequestInput => ({ state, questions: QUESTIONS })
const times = (count: number) => Array.from({ length: count }, (_, index) => index)

async function collect<T>(from: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of from) all.push(item)
  return all
}

describe('many decisions', () => {
  it('come in the order of their requests, a few at a time, and are told of as they are there', async () => {
    const { counts, decide } = createDecider()
    const told: number[] = []
    const requests = [40, 1, 1, 1, 1].map((wait, index) => request({ wait, model: `m${index}` }))
    const outcomes = await collect(
      decideEach(decide, requests, { concurrency: 2, onResult: ({ index }) => told.push(index) }),
    )
    expect(outcomes.map(({ index, response }) => `${index}${response?.model}`)).toEqual([
      '0m0',
      '1m1',
      '2m2',
      '3m3',
      '4m4',
    ])
    expect(counts.most).toBe(2)
    expect(told[0]).toBe(1)
    expect(told.toSorted()).toEqual([0, 1, 2, 3, 4])
  })

  it('read no more requests than are handed over and underway', async () => {
    let read = 0
    async function* endless() {
      for (;;) {
        read++
        yield request({})
      }
    }
    const { counts, decide } = createDecider()
    for await (const { index } of decideEach(decide, endless(), { concurrency: 3 })) {
      expect(read).toBeLessThanOrEqual(index + 4)
      await sleep(2)
      expect(read).toBeLessThanOrEqual(index + 4)
      if (index === 20) break
    }
    expect(counts.running).toBe(0)
  })

  it('are handed over while their source lets wait, and end with the signal meanwhile', async () => {
    const { decide } = createDecider()
    let answered = () => {}
    async function* conversation() {
      yield request({})
      // The next request follows from the outcome of the first; then none comes any more.
      await new Promise<void>((resolve) => (answered = resolve))
      yield request({})
      await new Promise(() => {})
    }
    const controller = new AbortController()
    const outcomes = decideEach(decide, conversation(), { signal: controller.signal })
    expect((await outcomes.next()).value).toMatchObject({ index: 0 })
    answered()
    expect((await outcomes.next()).value).toMatchObject({ index: 1 })
    const silent = outcomes.next()
    controller.abort('enough')
    await expect(silent).rejects.toMatchObject({ code: 'aborted', cause: 'enough' })
  }, 20_000)

  it('are made with what holds for all of them', async () => {
    const { decide } = createDecider()
    const told: CallOptions[] = []
    const noting = (request: DecisionRequestInput, call: CallOptions) => {
      told.push(call)
      return decide(request, call)
    }
    const call = { client: 'tenant-42', priority: 'half', keepState: false } as const
    await collect(decideEach(noting, [request({})], { ...call, concurrency: 1 }))
    expect(told).toEqual([{ ...call, signal: expect.any(AbortSignal) }])
  })

  it('go on where one request is at fault', async () => {
    await using engine = await startFakeEngine({ worker: false })
    const requests = [request({ name: 'a', steps: 1 }), request(5 as never), request({ fail: 'throw' }), request({})]
    const outcomes = await collect(engine.decideMany(requests))
    expect(outcomes.map(({ error }) => error?.code)).toEqual([
      undefined,
      'invalid_request',
      'internal_error',
      undefined,
    ])
    expect(outcomes[1]!.error!.path).toBe('state')
  })

  it('end with the signal, and with the loop', async () => {
    const { counts, decide } = createDecider()
    const controller = new AbortController()
    const requests = times(5).map(() => request({ wait: 10_000 }))
    const all = collect(decideEach(decide, requests, { signal: controller.signal, concurrency: 2 }))
    await expect.poll(() => counts.running).toBe(2)
    controller.abort('enough')
    await expect(all).rejects.toMatchObject({ code: 'aborted' })
    expect(counts.aborted).toBe(2)
    for await (const _ of decideEach(decide, [request({}), request({ wait: 10_000 })])) break
    expect(counts.aborted).toBe(3)
  })

  it('end with their engine, however many requests there are', async () => {
    const engine = await startFakeEngine({ worker: false })
    let isClosed = false
    function* endless() {
      try {
        for (;;) yield request({})
      } finally {
        isClosed = true
      }
    }
    const all = async () => {
      for await (const { index } of engine.decideMany(endless())) if (index === 2) void engine.dispose()
    }
    await expect(all()).rejects.toMatchObject({ code: 'engine_disposed' })
    expect(isClosed).toBe(true)
  })

  it('end with what their source throws, after the outcomes of what came before', async () => {
    const { decide } = createDecider()
    async function* broken(): AsyncGenerator<DecisionRequestInput> {
      yield* [request({ wait: 20 }), request({})]
      throw new RangeError('no more rows')
    }
    const handed: number[] = []
    const all = async () => {
      for await (const { index } of decideEach(decide, broken())) handed.push(index)
    }
    await expect(all()).rejects.toThrow('no more rows')
    expect(handed).toEqual([0, 1])
    const nothing: AsyncIterable<DecisionRequestInput> = {
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new RangeError('no rows at all')) }),
    }
    await expect(collect(decideEach(decide, nothing))).rejects.toThrow('no rows at all')
  })

  it.each([0, 1.5, Number.NaN])('are refused with a concurrency of %d', async (concurrency) => {
    await expect(collect<DecisionOutcome>(decideMany([], { concurrency }))).rejects.toMatchObject({
      path: 'concurrency',
    })
  })
})

describe('calls all at once', () => {
  it('wait, however many they are, where no limit was set', async () => {
    await using engine = await startFakeEngine({ worker: false })
    const answers = await Promise.all(times(200).map(() => engine.decide({ state: {}, questions: QUESTIONS })))
    expect(answers).toHaveLength(200)
  })

  it('are refused where 64 wait, if they ask for that', async () => {
    const engine = await startFakeEngine({ worker: false })
    const held = times(68).map(() => runFake(engine, { hold: true }).catch(() => 'disposed'))
    const refused = runFake(engine, {}, { whenBusy: 'refuse' })
    await expect(refused).rejects.toMatchObject({ code: 'overloaded', message: expect.stringContaining('maxQueue') })
    const waits = runFake(engine, {}).catch(() => 'disposed')
    await engine.dispose()
    expect(new Set(await Promise.all([...held, waits]))).toEqual(new Set(['disposed']))
  })
})

it.each([5, undefined, null, 'ab', {}])('refuses what holds no requests by name: %j', async (requests) => {
  const { decide } = createDecider()
  await expect(collect(decideEach(decide, requests as never))).rejects.toThrow(
    /^requests: must be an array of requests/,
  )
})
