import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Context,
  context,
  type ContextManager,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../test/helpers/redis-server.ts'
import { InternalError } from '../errors/index.ts'
import { createServer } from '../http/index.ts'
import { BODY, json, post } from '../http/test-support/requests.ts'
import { createQueueEngine, openJobStore, runWorker } from './index.ts'
import { createFakeEngine } from './test-support/fake-engine.ts'
import { keys } from './test-support/queue-keys.ts'
import { readAll } from './test-support/read-all.ts'

/** As an SDK for Node has it. */
class AsyncContexts implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>()
  active = () => this.#storage.getStore() ?? ROOT_CONTEXT
  with: ContextManager['with'] = (inside, work, self, ...args) =>
    this.#storage.run(inside, () => work.apply(self as never, args))
  bind: ContextManager['bind'] = (_, target) => target
  enable = () => this
  disable = () => this
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const traceparent = `00-${TRACE}-00f067aa0ba902b7-01`
const exporter = new InMemorySpanExporter()

describe.skipIf(!hasRedis())('spans of a fleet', () => {
  let redis: TestRedis
  const closing: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    redis = await startRedis()
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
    context.setGlobalContextManager(new AsyncContexts())
  })
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
    exporter.reset()
  })
  afterAll(async () => {
    trace.disable()
    context.disable()
    await redis.stop()
  })

  async function open() {
    const fake = createFakeEngine()
    const worker = await runWorker(fake.engine, { connection: redis.url, keys })
    const engine = createQueueEngine({ connection: redis.url, keys })
    const store = await openJobStore({ connection: redis.url, keys })
    const server = createServer({ engine, jobs: { store } })
    closing.push(
      () => worker.close(0),
      () => engine.dispose(),
      () => store.close(),
      () => server.close(),
    )
    return { fake, server }
  }

  const spans = () => exporter.getFinishedSpans()
  const ofWorker = () => spans().filter(({ kind }) => kind === SpanKind.CONSUMER)
  const ofFront = () => spans().filter(({ kind }) => kind === SpanKind.SERVER)

  it.each([{}, { prefer: 'respond-async' }])('of workers are below those of their fronts: %j', async (headers) => {
    const { server } = await open()
    await server.fetch(post(BODY, { headers: { ...headers, traceparent } }))
    await expect.poll(() => [ofWorker().length, ofFront().length]).toEqual([1, 1])
    const [[work], [request]] = [ofWorker(), ofFront()]
    expect(request!.spanContext().traceId).toBe(TRACE)
    expect(work).toMatchObject({ name: 'decide', attributes: { 'tessera.model': 'fake' } })
    expect(work!.spanContext().traceId).toBe(TRACE)
    expect(work!.parentSpanContext).toMatchObject({ spanId: request!.spanContext().spanId, isRemote: true })
  })

  it('say what went wrong, and neither they nor the queue have anything readable of the content', async () => {
    const { fake, server } = await open()
    fake.hold()
    fake.failure = new InternalError('CANARY')
    const answered = server.fetch(post({ ...BODY, state: 'CANARY' }, { headers: { traceparent } }))
    await expect.poll(() => fake.running).toBe(1)
    const held = await readAll(redis.url)
    expect(held).toContain(TRACE)
    expect(held).not.toContain('CANARY')
    fake.release()
    expect(await json(answered)).toMatchObject({ error_type: 'internal_error' })
    const [work] = ofWorker()
    expect(work).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': 'internal_error' },
    })
    const told = spans().map(({ name, attributes, events, status }) => ({ name, attributes, events, status }))
    expect(JSON.stringify(told)).not.toContain('CANARY')
  })
})
