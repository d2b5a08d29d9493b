import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { askAll } from '../bench/growth/measure-clients.ts'
import { callFor } from '../bench/measure/call-for.ts'
import { askFor, toFigures } from '../bench/queue/run-callers.ts'
import { runClients } from '../bench/service/run-clients.ts'
import type { Engine } from '../src/engine/index.ts'

// Two calls of each client begin within 50 ms, and the second one ends after them.
const CALL_MS = 40
const SECONDS = 0.05
const CLIENTS = 3

vi.mock(import('node:timers/promises'), async (original) => ({
  ...(await original()),
  setTimeout: ((ms: number) => new Promise<void>((resolve) => void globalThis.setTimeout(resolve, ms))) as typeof sleep,
}))
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] }))
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

async function result<T>(measured: Promise<T>): Promise<T> {
  await vi.advanceTimersByTimeAsync(10_000)
  return measured
}

it('a rate is of the answers that came within the time, times are of all calls that were begun in it', async () => {
  const callers: number[] = []
  const { times, inTime } = await result(
    callFor(CLIENTS, SECONDS, async (caller) => {
      callers.push(caller)
      await sleep(CALL_MS)
    }),
  )
  expect([times, inTime]).toEqual([Array(2 * CLIENTS).fill(CALL_MS), CLIENTS])
  expect(callers).toEqual([0, 1, 2, 0, 1, 2])
})

it('so it is through a queue', async () => {
  const asked: unknown[] = []
  const decide = async (_: unknown, { client }: { client: string }) => {
    asked.push(client)
    await sleep(CALL_MS)
  }
  const measured = await result(askFor({ decide } as unknown as Engine, CLIENTS, SECONDS))
  expect(toFigures(measured)).toEqual({ answers: CLIENTS, p50: CALL_MS, p99: CALL_MS })
  expect(asked).toEqual(['0', '1', '2', '0', '1', '2'])
})

it('and over HTTP, where all that is answered is compared with what was charged', async () => {
  vi.stubGlobal('fetch', async () => {
    await sleep(CALL_MS)
    return Response.json({ usage: { input_tokens: 2 } })
  })
  const load = { url: 'http://x', keys: ['a'], clients: CLIENTS, seconds: SECONDS, patience: () => undefined }
  const { times, inTime, statuses, tokens } = await result(runClients(load))
  expect({ times: times.length, inTime, statuses, tokens }).toEqual({
    times: 2 * CLIENTS,
    inTime: CLIENTS,
    statuses: { 200: 2 * CLIENTS },
    tokens: 4 * CLIENTS,
  })
})

it.each([1, 64])(
  '%i clients ask one question after the other, the first and last of which do not count',
  async (clients) => {
    const asked = new Map<string, number>()
    let [running, most] = [0, 0]
    const decide = async (_: unknown, { client }: { client: string }) => {
      const before = asked.get(client) ?? 0
      asked.set(client, before + 1)
      most = Math.max(most, ++running)
      await sleep(before === 0 || before === 9 ? 500 : CALL_MS)
      running--
    }
    const times = await result(askAll({ decide } as unknown as Engine, clients))
    expect([...asked.values()]).toEqual(Array(clients).fill(10))
    expect([most, times]).toEqual([clients, Array(8 * clients).fill(CALL_MS)])
  },
)
