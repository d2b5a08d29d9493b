import { once } from 'node:events'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../test/helpers/redis-server.ts'
import { BODY } from '../http/test-support/requests.ts'
import { type Program, Programs } from './test-support/programs.ts'
import { keys } from './test-support/queue-keys.ts'

const LEASE_MS = '1500'

interface Front extends Program {
  send(path: string, init?: RequestInit): Promise<Response>
}

describe.skipIf(!hasRedis() || process.platform === 'win32')('fronts and workers as processes', () => {
  let redis: TestRedis
  let frontScript: Awaited<ReturnType<typeof Programs.of>>
  let workerScript: Awaited<ReturnType<typeof Programs.of>>
  const programs = new Programs()
  beforeAll(async () => {
    ;[frontScript, workerScript] = await Promise.all([Programs.of('front-script'), Programs.of('worker-script')])
  }, 60_000)
  beforeEach(async () => {
    redis = await startRedis()
  })
  afterEach(async () => {
    programs.killAll()
    await redis.stop()
  })

  async function front(): Promise<Front> {
    const program = await programs.start(frontScript(redis.url, keys), 'listening on')
    const url = /listening on (\S+)/.exec(program.printed())![1]
    const headers = { authorization: 'Bearer a', 'content-type': 'application/json' }
    return {
      ...program,
      send: (path, init = {}) =>
        fetch(`${url}${path}`, { ...init, headers: { ...headers, ...(init.headers as object) } }),
    }
  }

  const work = () => programs.start(workerScript(redis.url, keys, LEASE_MS, 'slow'), 'ready')

  /** As whatever supervises services starts them again, until the test is over. */
  function supervise(worker: Program, ends: (string | null)[]): void {
    worker.child.once('exit', async (_, signal) => {
      if (programs.areKilled) return
      ends.push(signal)
      supervise(await work(), ends)
    })
  }

  const decide = (to: Front, state: string, headers = {}) =>
    to.send('/v1/systemone', { method: 'POST', headers, body: JSON.stringify({ ...BODY, state }) })
  const read = async (from: Front, path: string) => (await (await from.send(path)).json()) as Record<string, unknown>

  it('a job that kills two workers ends with a typed error and costs nothing, and those beside it are answered', async () => {
    const [one, two] = [await front(), await front()]
    const ends: (string | null)[] = []
    const worker = await work()
    supervise(worker, ends)
    const beside = ['a', 'b', 'c'].map((state) => decide(one, state))
    await expect.poll(() => worker.printed().match(/call/g)?.length, { timeout: 10_000 }).toBe(3)
    const accepted = await decide(two, 'POISON', { prefer: 'respond-async' })
    const path = accepted.headers.get('location')!
    expect(accepted.status).toBe(202)
    const answers = await Promise.all(beside)
    expect(await Promise.all(answers.map(async (answer) => [answer.status, await answer.json()]))).toEqual(
      beside.map(() => [200, expect.objectContaining({ model: 'fake' })]),
    )
    await expect
      .poll(() => read(one, path), { timeout: 30_000 })
      .toMatchObject({ status: 'failed', error: { status: 500, error_type: 'worker_crashed' } })
    expect((await decide(two, 'd')).status).toBe(200)
    expect(ends).toEqual(['SIGKILL', 'SIGKILL'])
    const { prepaid, months } = await read(one, '/v1/usage')
    expect(months).toMatchObject([{ requests: 4 }])
    // Nothing is set aside any more, and four answers of one token each are paid for.
    const cost = (months as { cost: string }[])[0]!.cost
    expect(Number((prepaid as { left: string }).left)).toBeCloseTo(1 - Number(cost), 12)
  }, 90_000)

  it('a batch whose front is killed is taken over; each line has one answer, and is charged once', async () => {
    const [one, two] = [await front(), await front()]
    await work()
    const lines = Array.from({ length: 24 }, (_, at) =>
      JSON.stringify({ custom_id: `c${at}`, ...BODY, state: `${at}` }),
    )
    const headers = { 'content-type': 'application/jsonl' }
    const accepted = await one.send('/v1/batches', { method: 'POST', headers, body: lines.join('\n') })
    expect(accepted.status).toBe(202)
    const { id } = (await accepted.json()) as { id: string }
    const requests = async () => ((await read(two, '/v1/usage'))['months'] as { requests: number }[])[0]?.requests ?? 0
    await expect.poll(requests, { timeout: 20_000 }).toBeGreaterThan(4)
    const running = { id, status: 'running', progress: { stage: 'answering', total: 24 }, counts: { total: 24 } }
    await expect.poll(() => read(two, '/v1/jobs')).toMatchObject({ data: [running] })
    const killed = once(one.child, 'exit')
    one.child.kill('SIGKILL')
    await killed
    const before = await requests()
    expect(before).toBeLessThan(24)
    await expect
      .poll(() => read(two, `/v1/jobs/${id}`), { timeout: 100_000, interval: 500 })
      .toMatchObject({ status: 'succeeded', counts: { total: 24, succeeded: 24, failed: 0 } })
    const results = (await (await two.send(`/v1/batches/${id}/results`)).text()).trim().split('\n')
    const names = results.map((line) => (JSON.parse(line) as { custom_id: string }).custom_id)
    expect(names.toSorted()).toEqual(lines.map((_, at) => `c${at}`).toSorted())
    expect(await requests()).toBe(24)
  }, 180_000)
})
