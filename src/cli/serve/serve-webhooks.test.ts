import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer as createHttpServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { runTessera } from '../test-support/run-tessera.ts'
import { ended, prepareServe, type ServeProcesses, started } from '../test-support/serve-process.ts'

const tls = (name: string) => fileURLToPath(new URL(`../../../test/fixtures/tls/${name}`, import.meta.url))
const TRUSTED = { NODE_EXTRA_CA_CERTS: tls('certificate.pem') }
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const JOB = { state: 'The invoice is wrong', questions: { q: { type: 'noul', instructions: 'Urgent?' } } }

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

// Windows has no signals, by which a process is told to end.
describe.skipIf(process.platform === 'win32')('webhooks of tessera serve', () => {
  let processes: ServeProcesses
  let keys: string
  beforeAll(async () => {
    processes = await prepareServe()
    keys = join(processes.home, 'keys.json')
    await writeFile(keys, JSON.stringify({ keys: [{ key: 'a', scopes: ['decide', 'metrics'] }] }))
  })
  afterAll(() => processes.remove())

  const received: Received[] = []
  let receiver: Server
  let address: string
  const take: RequestListener = (request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      received.push({ headers: request.headers, body })
      response.end()
    })
  }
  const listenAs = async (protocol: 'http' | 'https') => {
    const certificate = () => ({ key: readFileSync(tls('key.pem')), cert: readFileSync(tls('certificate.pem')) })
    receiver = protocol === 'http' ? createHttpServer(take) : createHttpsServer(certificate(), take)
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    address = `${protocol}://localhost:${(receiver.address() as AddressInfo).port}/hook`
  }
  beforeEach(() => void (received.length = 0))
  afterEach(() => new Promise((resolve) => receiver.close(resolve)))

  /** A service that runs while `use` does; what it is asked with its key. */
  async function serving(
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    use: (ask: (path: string, body?: object, headers?: object) => Promise<Response>) => Promise<void>,
  ): Promise<void> {
    const child = processes.start(['--port', '0', '--keys-file', keys, ...args], {
      TESSERA_WEBHOOK_SECRET: SECRET,
      ...env,
    })
    const { url } = await started(child)
    const ask = (path: string, body?: object, headers = {}) =>
      fetch(`${url}${path}`, {
        headers: { authorization: 'Bearer a', 'content-type': 'application/json', ...headers },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      })
    try {
      await use(ask)
    } finally {
      child.kill('SIGTERM')
      expect(await ended(child)).toMatchObject({ code: 0 })
    }
  }
  const asking = () => ({ prefer: 'respond-async', 'tessera-webhook': address })

  it('go to a private address without TLS with --webhooks-private, signed for the account', async () => {
    await listenAs('http')
    await serving(['--webhooks-private'], {}, async (ask) => {
      const response = await ask('/v1/systemone', JOB, asking())
      const { id } = (await response.json()) as { id: string }
      expect(response.status).toBe(202)
      await expect.poll(() => received.length, { timeout: 20_000 }).toBe(1)
      const { headers, body } = received[0]!
      expect(JSON.parse(body)).toMatchObject({ type: 'job.succeeded', data: { id, status: 'succeeded' } })
      const { secrets } = (await (await ask('/v1/webhook-secret')).json()) as { secrets: string[] }
      const key = Buffer.from(secrets[0]!.slice('whsec_'.length), 'base64')
      const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
      const signature = createHmac('sha256', key).update(signed).digest('base64')
      expect(headers['webhook-signature']).toBe(`v1,${signature}`)
    })
  })

  it('go to no private address without it, by whatever name and certificate', async () => {
    await listenAs('https')
    await serving([], TRUSTED, async (ask) => {
      const plain = await ask('/v1/systemone', JOB, { ...asking(), 'tessera-webhook': 'http://example.com/' })
      expect([plain.status, await plain.text()]).toEqual([400, expect.stringContaining('must be an https: URL')])
      for (const host of ['localhost', '127.0.0.1', 'a.localhost']) {
        const hook = address.replace('localhost', host)
        const refused = await ask('/v1/systemone', JOB, { ...asking(), 'tessera-webhook': hook })
        expect([host, refused.status, await refused.text()]).toEqual([
          host,
          400,
          expect.stringContaining('must not be a private address'),
        ])
      }
      expect(received).toEqual([])
    })
  })

  it('go over TLS to a receiver whose certificate is trusted by NODE_EXTRA_CA_CERTS', async () => {
    await listenAs('https')
    await serving(['--webhooks-private'], TRUSTED, async (ask) => {
      expect((await ask('/v1/systemone', JOB, asking())).status).toBe(202)
      await expect.poll(() => received.length, { timeout: 20_000 }).toBe(1)
      expect(JSON.parse(received[0]!.body)).toMatchObject({ type: 'job.succeeded' })
    })
  })

  it('go over TLS to no receiver whose certificate nobody trusts', async () => {
    await listenAs('https')
    const refused = new Promise<string | undefined>((resolve) =>
      receiver.once('tlsClientError', ({ code }: NodeJS.ErrnoException) => resolve(code)),
    )
    await serving(['--webhooks-private'], {}, async (ask) => {
      expect((await ask('/v1/systemone', JOB, asking())).status).toBe(202)
      expect(await refused).toEqual(expect.any(String))
      expect(received).toEqual([])
    })
    // Its last try is made when the service ends.
    expect(received).toEqual([])
  })

  it('need a secret that is one, and name the variable of one that is none', async () => {
    vi.stubEnv('TESSERA_WEBHOOK_SECRET', 'whsec_short')
    onTestFinished(() => void vi.unstubAllEnvs())
    const { code, stderr } = await runTessera('serve', '--port', '0', '--keys-file', keys)
    expect(code).toBe(2)
    expect(stderr).toMatch(/^error TESSERA_WEBHOOK_SECRET: must be whsec_ and base64 of 24 to 64 bytes/)
  })
})
