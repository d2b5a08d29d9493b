import { readFileSync } from 'node:fs'
import { createServer as createHttpServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { transform } from 'esbuild'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { line } from '../test-support/batch-server.ts'
import { type JobServer, openJobServer } from '../test-support/job-server.ts'
import { BODY, bearer, get, json, post } from '../test-support/requests.ts'
import { WebhookSender } from './webhook-sender.ts'
import { Webhooks } from './webhooks.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** The example of the documents. */
async function loadExample() {
  const text = readFileSync(`${import.meta.dirname}/../../../docs/service.md`, 'utf8')
  const [, example] = /^```ts\n(import \{ createHmac[\s\S]*?)^```$/m.exec(text)!
  const { code } = await transform(example!, { loader: 'ts', format: 'esm' })
  return (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    verifyWebhook(secret: string, headers: Headers, body: string): { type: string; data: Record<string, unknown> }
  }
}

describe('a receiver', () => {
  const received: Received[] = []
  let answers: number[]
  let url: string
  let jobs: JobServer | undefined
  const receiver = createHttpServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      received.push({ headers: request.headers, body })
      const status = answers.shift() ?? 200
      const upgrade = status === 101 && { connection: 'upgrade', upgrade: 'other' }
      response.writeHead(status, { location: url, ...upgrade }).end('x'.repeat(1000))
    })
  })
  beforeEach(async () => {
    received.length = 0
    answers = []
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  })
  afterEach(async () => {
    await jobs?.close()
    jobs = undefined
    receiver.closeAllConnections()
    await new Promise((resolve) => receiver.close(resolve))
  })
  const serve = (options: Parameters<typeof openJobServer>[0] = {}) =>
    (jobs = openJobServer({ webhooks: { secret, allowPrivate: true }, ...options }))
  const headersOf = ({ headers }: Received) => new Headers(headers as Record<string, string>)

  it('is told that a job is over, and checks it as the documents say', async () => {
    serve({ keys: ['a', 'b'].map((key) => ({ key, id: key })) })
    const { job } = await jobs!.start({ ...BODY, state: 'CANARY' }, '/v1/systemone', {
      ...bearer('a'),
      'tessera-webhook': url,
    })
    await expect.poll(() => received.length).toBe(1)
    const [told] = received
    const secretOf = async (key: string) =>
      ((await json(jobs!.server.fetch(get('/v1/webhook-secret', { headers: bearer(key) }))))['secrets'] as string[])[0]!
    const { verifyWebhook } = await loadExample()
    const location = `/v1/jobs/${String(job['id'])}`
    expect(verifyWebhook(await secretOf('a'), headersOf(told!), told!.body)).toEqual({
      type: 'job.succeeded',
      timestamp: expect.stringMatching(/^20.*Z$/),
      data: { id: job['id'], status: 'succeeded', path: '/v1/systemone', location },
    })
    expect(JSON.stringify(told)).not.toContain('CANARY')
    const bad = [
      [await secretOf('b'), headersOf(told!), told!.body],
      [secret, headersOf(told!), told!.body],
      [await secretOf('a'), headersOf(told!), told!.body.replace('succeeded', 'failed')],
      [
        await secretOf('a'),
        new Headers({ ...Object.fromEntries(headersOf(told!)), 'webhook-timestamp': '1700000000' }),
        told!.body,
      ],
    ] as const
    for (const [own, headers, body] of bad) expect(() => verifyWebhook(own, headers, body)).toThrow('not a webhook')
  })

  it('is told of a batch with its counts, and of a job that is cancelled', async () => {
    serve()
    const headers = { 'content-type': 'application/jsonl', 'tessera-webhook': url }
    await jobs!.server.fetch(post(`${line('a')}\nbroken`, { path: '/v1/batches', headers }))
    await expect.poll(() => received.length).toBe(1)
    expect(JSON.parse(received[0]!.body)).toMatchObject({
      data: { path: '/v1/batches', counts: { succeeded: 1, failed: 1 } },
    })
    jobs!.hold()
    const { job } = await jobs!.start(BODY, '/v1/systemone', { 'tessera-webhook': url })
    await jobs!.ask(job['id'], {}, { method: 'DELETE' })
    await expect.poll(() => received.length).toBe(2)
    expect(JSON.parse(received[1]!.body)).toMatchObject({ type: 'job.cancelled', data: { id: job['id'] } })
  })

  it('gets each signature while the operator changes secrets', async () => {
    const next = `whsec_${Buffer.alloc(24, 9).toString('base64')}`
    serve({ webhooks: { secret: `${next},${secret}`, allowPrivate: true } })
    await jobs!.start(BODY, '/v1/systemone', { 'tessera-webhook': url })
    await expect.poll(() => received.length).toBe(1)
    const { secrets } = (await json(jobs!.server.fetch(get('/v1/webhook-secret')))) as { secrets: string[] }
    const { verifyWebhook } = await loadExample()
    expect(secrets).toHaveLength(2)
    for (const each of secrets) {
      expect(verifyWebhook(each, headersOf(received[0]!), received[0]!.body).type).toBe('job.succeeded')
    }
  })

  describe('that', () => {
    const ended: string[] = []
    beforeEach(() => void (ended.length = 0))
    const job = {
      id: 'job_1',
      account: 'a',
      path: '/v1/systemone',
      createdAt: 1,
      endedAt: 2,
      keepMs: 0,
      status: 'succeeded',
      bytes: 0,
    } as const
    const open = (options: Partial<ConstructorParameters<typeof Webhooks>[0]> = {}) =>
      new Webhooks({
        secret,
        allowPrivate: true,
        delaysMs: [1, 1],
        onEnded: (outcome) => ended.push(outcome),
        ...options,
      })

    it('fails is told again, under the same id', async () => {
      answers = [500, 302]
      open().deliver({ ...job, webhook: url })
      await expect.poll(() => ended).toEqual(['delivered'])
      expect(received).toHaveLength(3)
      expect(new Set(received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set(['msg_1_1']))
    })

    it('switches protocols is told again', async () => {
      answers = [101]
      open().deliver({ ...job, webhook: url })
      await expect.poll(() => ended).toEqual(['delivered'])
      expect(received).toHaveLength(2)
    })

    it('redirects is not followed', async () => {
      answers = [302, 307, 308]
      open().deliver({ ...job, webhook: url })
      await expect.poll(() => ended).toEqual(['failed'])
      expect(received).toHaveLength(3)
    })

    it('is gone is told no more', async () => {
      answers = [410]
      open().deliver({ ...job, webhook: url })
      await expect.poll(() => ended).toEqual(['failed'])
      expect(received).toHaveLength(1)
    })

    it('waits for its next try is told once more at the end', async () => {
      answers = [500]
      const webhooks = open({ delaysMs: [600_000] })
      webhooks.deliver({ ...job, webhook: url })
      await expect.poll(() => received.length).toBe(1)
      await webhooks.close()
      expect([received.length, ended]).toEqual([2, ['delivered']])
    })

    it('is told later keeps nothing of what was asked and answered in memory, and 1,000 of an account at most', async () => {
      const send = vi.spyOn(WebhookSender.prototype, 'send').mockResolvedValue('failed')
      const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
      const webhooks = open({ delaysMs: [600_000] })
      const request = { body: { json: 'CANARY' }, caller: { id: 'a' } }
      const told = { ...job, webhook: url, request, result: 'CANARY' }
      for (let count = 0; count < 1001; count++) webhooks.deliver({ ...told, id: `job_${count}` })
      expect(JSON.stringify(send.mock.calls)).not.toContain('CANARY')
      expect([send.mock.calls.length, ended]).toEqual([1000, ['failed']])
      expect(warn.mock.calls).toEqual([[expect.stringContaining('job_1000'), 'TesseraWebhookWarning']])
      webhooks.deliver({ ...told, account: 'b' })
      expect(send).toHaveBeenCalledTimes(1001)
      await webhooks.close()
      expect(warn).toHaveBeenCalledTimes(1)
      send.mockRestore()
      warn.mockRestore()
    })

    it.each(['127.0.0.1', 'localhost'])('is at %s is not connected to', async (host) => {
      open({ allowPrivate: false }).deliver({ ...job, webhook: url.replace('127.0.0.1', host) })
      await expect.poll(() => ended).toEqual(['failed'])
      expect(received).toEqual([])
    })
  })

  it.each([
    ['http://example.com/', 'must be an https: URL'],
    ['https://user:pass@example.com/', 'must not have a user or a password'],
    ['https://10.0.0.5/', 'must not be a private address'],
    ['https://any.localhost/', 'must not be a private address'],
    ['https://2130706433:8443/', 'must not be a private address'],
    ['https://[::ffff:127.0.0.1]/', 'must not be a private address'],
    ['nowhere', 'must be a URL'],
    [`https://example.com/${'x'.repeat(2048)}`, 'must be a URL of at most 2048 characters'],
  ])('at %s is refused', async (address, message) => {
    serve({ webhooks: { secret } })
    const { response, job } = await jobs!.start(BODY, '/v1/systemone', { 'tessera-webhook': address })
    expect([response.status, job['message']]).toEqual([400, expect.stringContaining(message)])
    expect(jobs!.stub.counts.decided).toBe(0)
  })

  it('is refused without a secret, and for what is no job', async () => {
    serve({ webhooks: {} })
    const { response, job } = await jobs!.start(BODY, '/v1/systemone', { 'tessera-webhook': 'https://example.com' })
    expect([response.status, job['message']]).toEqual([400, expect.stringContaining('this server sends no webhooks')])
    const plain = await jobs!.server.fetch(post(BODY, { headers: { 'tessera-webhook': 'https://example.com' } }))
    expect([plain.status, (await json(plain))['message']]).toEqual([
      400,
      expect.stringContaining('Prefer: respond-async'),
    ])
    expect(() => openJobServer({ webhooks: { secret: 'whsec_short' } })).toThrow(/^webhooks\.secret: must be whsec_/)
  })

  it('webhooks are counted by how they ended', async () => {
    serve()
    await jobs!.start(BODY, '/v1/systemone', { 'tessera-webhook': url })
    const text = async () => (await jobs!.server.fetch(get('/metrics'))).text()
    await expect.poll(text).toContain('tessera_webhooks_total{outcome="delivered"} 1')
  })
})
