import { beforeEach, expect, it } from 'vitest'
import { type JobServer, openJobServer } from '../test-support/job-server.ts'
import { bearer, IMAGE_BODIES, json, post } from '../test-support/requests.ts'

let jobs: JobServer
beforeEach(() => {
  jobs = openJobServer({ keys: ['a', 'b'].map((key) => ({ key, id: key })) })
})

const seeds = () => jobs.stub.drawn.map((request) => (request as { seed?: number }).seed)

it.each(IMAGE_BODIES)('a repeat of %s draws the pictures that were paid for', async (path, body) => {
  const send = async (key?: string, account = 'a', more: object = {}, headers: Record<string, string> = {}) => {
    const named = { ...bearer(account), ...headers, ...(key !== undefined && { 'idempotency-key': key }) }
    const response = await jobs.server.fetch(post({ ...body, ...more }, { path, headers: named }))
    return [response.status, await response.text()] as const
  }
  for (const [key, account] of [['1'], ['1'], ['2'], ['1', 'b']]) expect((await send(key, account))[0]).toBe(200)
  await send('3', 'a', { stream: true })
  const started = JSON.parse((await send('4', 'a', {}, { prefer: 'respond-async' }))[1]) as { id: string }
  await jobs.until(started.id, 'succeeded', bearer('a'))
  await json(jobs.ask(started.id, bearer('a'), { method: 'DELETE' }))
  const [, again] = await send('4', 'a', {}, { prefer: 'respond-async' })
  await jobs.until((JSON.parse(again) as { id: string }).id, 'succeeded', bearer('a'))
  const [first, second, ...others] = seeds()
  expect([first, others.every((seed) => Number.isSafeInteger(seed))]).toEqual([second, true])
  expect(others.at(-1)).toBe(others.at(-2))
  expect(new Set([first, ...others]).size).toBe(5)
  expect((await jobs.server.usage('a')).reduce((sum, { requests }) => sum + requests, 0)).toBe(4)
})

it.each(IMAGE_BODIES)('%s keeps the seed that it names, and has a random one without a key', async (path, body) => {
  const send = (more: object, headers: Record<string, string>) =>
    jobs.server.fetch(post({ ...body, ...more }, { path, headers: { ...bearer('a'), ...headers } }))
  await send({ seed: 7 }, { 'idempotency-key': '1' })
  await send({}, {})
  expect(seeds()).toEqual([7, undefined])
})

it.each(IMAGE_BODIES)(
  '%s with stream: true under the key of another is refused, by no fault of the server',
  async (path, body) => {
    const headers = { ...bearer('a'), 'idempotency-key': '1' }
    const send = (more: object) => jobs.server.fetch(post({ ...body, ...more }, { path, headers }))
    expect((await send({})).status).toBe(200)
    const refused = await send({ prompt: 'Another', stream: true })
    expect([refused.status, refused.headers.get('content-type')]).toEqual([409, 'application/json'])
    expect(await json(refused)).toMatchObject({
      error_type: 'idempotency_error',
      message: expect.stringContaining('Idempotency-Key'),
    })
    expect(jobs.entries.at(-1)).toMatchObject({ status: 409 })
    expect(jobs.entries.at(-1)).not.toHaveProperty('error')
  },
)
