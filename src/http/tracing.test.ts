import { context, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createServer } from './server.ts'
import { bearer, BODY, IMAGE_BODIES, post } from './test-support/requests.ts'
import { createStubEngine } from './test-support/stub-engine.ts'
import { loadTracing } from './tracing.ts'

const exporter = new InMemorySpanExporter()
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
beforeAll(() => {
  trace.setGlobalTracerProvider(provider)
})
afterEach(() => exporter.reset())
afterAll(() => {
  trace.disable()
})

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SENDER = '00f067aa0ba902b7'
const traceparent = `00-${TRACE}-${SENDER}-01`
const milliseconds = ([seconds, nanoseconds]: readonly [number, number]) => seconds * 1000 + nanoseconds / 1e6

describe('spans', () => {
  it('are one of the request, below its sender, and one each of the wait and the work', async () => {
    const { fetch } = createServer({ engine: createStubEngine().engine, keys: ['k'] })
    const response = await fetch(post(BODY, { headers: { ...bearer('k'), traceparent } }))
    const [queue, compute, request] = exporter.getFinishedSpans()
    expect(exporter.getFinishedSpans()).toHaveLength(3)
    expect(request).toMatchObject({ name: 'POST /v1/systemone', kind: SpanKind.SERVER })
    expect(request!.spanContext().traceId).toBe(TRACE)
    expect(request!.parentSpanContext).toMatchObject({ traceId: TRACE, spanId: SENDER, isRemote: true })
    expect(request!.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/v1/systemone',
      'http.response.status_code': 200,
      'tessera.request_id': response.headers.get('x-request-id'),
      'tessera.units': JSON.stringify(BODY.state).length,
    })
    for (const [child, name] of [
      [queue, 'queue'],
      [compute, 'compute'],
    ] as const) {
      expect(child).toMatchObject({ name, attributes: { 'tessera.model': 'stub' } })
      expect(child!.parentSpanContext!.spanId).toBe(request!.spanContext().spanId)
    }
    expect(milliseconds(queue!.duration)).toBeCloseTo(20, 1)
    expect(milliseconds(compute!.duration)).toBeCloseTo(300, 1)
    expect(milliseconds(compute!.startTime)).toBeCloseTo(milliseconds(queue!.endTime), 1)
  })

  it('begin a trace where the sender has none, and say what went wrong', async () => {
    const stub = createStubEngine()
    const { fetch } = createServer({ engine: stub.engine })
    await fetch(post('{'))
    stub.failure = new RangeError('CANARY')
    await fetch(post(BODY))
    await fetch(new Request('http://server/CANARY'))
    const roots = exporter.getFinishedSpans().filter(({ kind }) => kind === SpanKind.SERVER)
    expect(roots.map(({ name, parentSpanContext }) => [name, parentSpanContext])).toEqual([
      ['POST /v1/systemone', undefined],
      ['POST /v1/systemone', undefined],
      ['GET', undefined],
    ])
    expect(roots.map(({ status, attributes }) => [status.code, attributes['error.type']])).toEqual([
      [SpanStatusCode.UNSET, 'invalid_request'],
      [SpanStatusCode.ERROR, 'internal_error'],
      [SpanStatusCode.UNSET, 'not_found'],
    ])
  })

  it('have nothing of the content', async () => {
    const { fetch } = createServer({ engine: createStubEngine().engine })
    await fetch(post({ state: 'CANARY', questions: { CANARY: { type: 'noul', instructions: 'CANARY?' } } }))
    for (const [path, body] of IMAGE_BODIES) await fetch(post({ ...body, prompt: 'CANARY', model: 'CANARY' }, { path }))
    const told = exporter
      .getFinishedSpans()
      .map(({ name, attributes, events, status }) => ({ name, attributes, events, status }))
    expect(told).toHaveLength(9)
    expect(JSON.stringify(told)).not.toContain('CANARY')
  })

  it('lie below a span that the app has open itself', async () => {
    const { fetch } = createServer({ engine: createStubEngine().engine })
    const app: Span = trace.getTracer('app').startSpan('app')
    const active = vi.spyOn(context, 'active').mockReturnValue(trace.setSpan(context.active(), app))
    await fetch(post(BODY, { headers: { traceparent } }))
    active.mockRestore()
    const request = exporter.getFinishedSpans().find(({ kind }) => kind === SpanKind.SERVER)!
    expect(request.parentSpanContext?.spanId).toBe(app.spanContext().spanId)
  })

  it('last as long as a stream does', async () => {
    const stub = createStubEngine()
    const { fetch } = createServer({ engine: stub.engine })
    const response = await fetch(post({ prompt: 'a', stream: true }, { path: '/v1/images/generations' }))
    const before = exporter.getFinishedSpans().some(({ kind }) => kind === SpanKind.SERVER)
    await response.text()
    await vi.waitUntil(() => exporter.getFinishedSpans().some(({ kind }) => kind === SpanKind.SERVER), {
      timeout: 60_000,
    })
    expect(before).toBe(false)
  })
})

describe('without the package', () => {
  it('there are none, and nothing is said', async () => {
    const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    expect(await loadTracing(() => Promise.reject(missing))).toBeUndefined()
    expect(warn).not.toHaveBeenCalled()
    expect(await loadTracing(() => Promise.reject(new SyntaxError('broken')))).toBeUndefined()
    expect(warn).toHaveBeenCalledOnce()
    warn.mockRestore()
  })
})
