import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { EngineDisposedError, InsufficientMemoryError, OverloadedError, type TesseraError } from '../errors/index.ts'
import { createServer, type RequestLog, type ServerOptions } from './index.ts'
import { BODY, bearer, get, post } from './test-support/requests.ts'
import { createStubEngine, type StubEngine } from './test-support/stub-engine.ts'

let stub: StubEngine
beforeEach(() => {
  stub = createStubEngine()
})
const serve = (options: Omit<ServerOptions, 'engine'> = {}) => createServer({ engine: stub.engine, ...options })

describe('the log', () => {
  const entries: RequestLog[] = []
  afterEach(() => entries.splice(0))

  it('has one entry for each response, with the id the client sees', async () => {
    const { fetch } = serve({ keys: [{ key: 'a', id: 'me' }], log: (entry) => entries.push(entry) })
    const length = JSON.stringify(BODY).length
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    const headers = { ...bearer('a'), traceparent, 'content-length': String(length) }
    const response = await fetch(post(BODY, { headers }))
    await fetch(get('/nope', { headers: { traceparent: '00-CANARY' } }))
    await fetch(post(BODY))
    expect(entries).toEqual([
      {
        requestId: response.headers.get('x-request-id'),
        method: 'POST',
        route: '/v1/systemone',
        account: 'me',
        status: 200,
        milliseconds: expect.any(Number),
        traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
        model: 'stub',
        queueMs: 20,
        computeMs: 300,
        units: JSON.stringify(BODY.state).length,
        bytesIn: length,
        bytesOut: (await response.text()).length,
      },
      {
        requestId: expect.any(String),
        method: 'GET',
        status: 404,
        milliseconds: expect.any(Number),
        bytesOut: expect.any(Number),
      },
      {
        requestId: expect.any(String),
        method: 'POST',
        route: '/v1/systemone',
        status: 401,
        milliseconds: expect.any(Number),
        bytesOut: expect.any(Number),
      },
    ])
  })

  it("has the error where the fault is the server's own, which the client is not told", async () => {
    const { fetch } = serve({ log: (entry) => entries.push(entry) })
    stub.failure = new RangeError('a secret')
    const response = await fetch(post(BODY))
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('secret')
    expect(entries).toMatchObject([{ status: 500, error: { code: 'internal_error', cause: stub.failure } }])
  })

  it.each<[number, string, TesseraError]>([
    [503, 'with the cause', new EngineDisposedError()],
    [
      507,
      'with the cause',
      new InsufficientMemoryError('it needs 9 GiB', 'Use fewer bits.', { needed: 9, available: 1 }),
    ],
    [529, 'without one', new OverloadedError()],
    [529, 'with the cause', new OverloadedError('the queue cannot be reached', { cause: new Error('NOPERM') })],
  ])('has %d %s', async (status, how, failure) => {
    const { fetch } = serve({ log: (entry) => entries.push(entry) })
    stub.failure = failure
    const response = await fetch(post(BODY))
    expect(response.status).toBe(status)
    expect(await response.text()).not.toContain('9 GiB')
    expect(entries).toMatchObject([{ status }])
    expect(entries[0]!.error).toBe(how === 'with the cause' ? failure : undefined)
  })

  it.each([
    [
      'throwing',
      () => {
        throw new Error('disk full')
      },
    ],
    ['rejecting', () => Promise.reject(new Error('disk full'))],
  ])('cannot spoil a response by %s', async (_, log) => {
    const warned = new Promise((resolve) => process.once('warning', resolve))
    const { fetch } = serve({ log })
    expect((await fetch(get('/healthz'))).status).toBe(200)
    expect(await warned).toMatchObject({ message: 'disk full' })
  })
})

describe('metrics', () => {
  it('count requests, time, tokens and what runs', async () => {
    const { fetch } = serve()
    await fetch(post(BODY))
    await fetch(post('{'))
    await fetch(get('/nope', { method: 'PATCH' }))
    const response = await fetch(get('/metrics'))
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const text = await response.text()
    expect(text).toContain('tessera_http_requests_total{route="/v1/systemone",method="POST",status="200"} 1\n')
    expect(text).toContain('tessera_http_requests_total{route="/v1/systemone",method="POST",status="422"} 1\n')
    expect(text).toContain('tessera_http_requests_total{route="none",method="other",status="404"} 1\n')
    expect(text).toContain('tessera_http_request_duration_seconds_count{route="/v1/systemone",status="2xx"} 1\n')
    expect(text).toContain(`tessera_units_total{endpoint="decisions"} ${JSON.stringify(BODY.state).length}\n`)
    expect(text).toContain('tessera_http_requests_in_flight 1\n')
    expect(text).not.toContain('nope')
  })

  it('tell of the engine: what waits and runs, its models, where the time of requests went', async () => {
    const { fetch } = serve()
    await fetch(post(BODY))
    const text = await (await fetch(get('/metrics'))).text()
    for (const line of [
      'tessera_queue_depth 3',
      'tessera_calls_running 4',
      'tessera_models_loaded{model="stub"} 1',
      'tessera_model_loads_total{model="stub"} 2',
      'tessera_model_load_seconds_total{model="stub"} 1.5',
      'tessera_model_load_failures_total{model="stub"} 5',
      'tessera_queue_seconds_sum{model="stub"} 0.02',
      'tessera_compute_seconds_sum{model="stub"} 0.3',
    ]) {
      expect(text).toContain(`${line}\n`)
    }
    expect(text).not.toContain('/models')
  })

  it('say what runs, and how the process is', async () => {
    const text = await (await serve().fetch(get('/metrics'))).text()
    expect(text).toMatch(/tessera_build_info\{version="\d+\.\d+\.\d+",node="\d+\.\d+\.\d+"\} 1\n/)
    if (process.platform === 'linux') expect(text).toMatch(/process_open_fds \d+\n/)
    expect(text).toMatch(/process_cpu_seconds_total \d+\.\d+\n/)
    expect(text).toMatch(/nodejs_heap_size_used_bytes \d{7,}\n/)
    expect(text).toMatch(/nodejs_external_memory_bytes \d{5,}\n/)
    expect(text).toMatch(/nodejs_eventloop_utilization (0|1|0\.\d+)\n/)
  })

  it("leave out what an engine of one's own does not say", async () => {
    const { activity: _, ...engine } = stub.engine
    const text = await (await createServer({ engine }).fetch(get('/metrics'))).text()
    expect(text).toContain('tessera_units_total')
    expect(text).not.toContain('tessera_queue_depth')
  })
})
