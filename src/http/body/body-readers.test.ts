import { describe, expect, it } from 'vitest'
import { post } from '../test-support/requests.ts'
import { BodyBudget } from './body-budget.ts'
import { BodyParser } from './body-parser.ts'
import { createBodyReaders } from './body-readers.ts'

const LIMIT = 1000
const parser = new BodyParser()
const readJson = (request: Request, maxBytes: number) =>
  createBodyReaders(request, 'json', { maxBytes, parser, share: new BodyBudget(1e6).open() }).readJson()
const read = (body: string, headers: Record<string, string> = {}) => readJson(post(body, { headers }), LIMIT)

/** A body that is made as it is read; counts how many chunks were asked for. */
function streamed(chunks: readonly string[], headers: Record<string, string> = {}) {
  const state = { pulled: 0, cancelled: false }
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = chunks[state.pulled++]
        if (chunk === undefined) controller.close()
        else controller.enqueue(new TextEncoder().encode(chunk))
      },
      cancel: () => void (state.cancelled = true),
    },
    { highWaterMark: 0 },
  )
  const request = new Request('http://server', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    duplex: 'half',
  } as RequestInit)
  return { request, state }
}

describe('a JSON body', () => {
  it('is read whole from its chunks, also where one ends inside a character', async () => {
    const bytes = new TextEncoder().encode('{"a":"é🎯"}')
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
        controller.close()
      },
    })
    const headers = { 'content-type': 'application/json' }
    const request = new Request('http://server', { method: 'POST', headers, body, duplex: 'half' } as RequestInit)
    expect(await readJson(request, LIMIT)).toEqual({ a: 'é🎯' })
  })

  it.each<[string, (request: Request) => unknown]>([
    ['has read', (request) => request.text()],
    ['is reading', (request) => request.body?.getReader()],
  ])('that the app %s is told to be gone', async (_, take) => {
    const request = post('{}')
    await take(request)
    await expect(readJson(request, LIMIT)).rejects.toThrow('was read by something in front of the service')
  })

  it('of which something in front of the service handed on the beginning alone is said to be cut', async () => {
    const length = { 'content-length': '12' }
    await expect(read('{"a":', length)).rejects.toThrow('valid JSON; of its 12 bytes 5 came, as if what is in front')
    // An app that writes it anew may leave the length of the old one.
    expect(await read('{"a":1}', length)).toEqual({ a: 1 })
  })

  it('of lines that was cut within one is refused as a whole, as those behind it would be missing', async () => {
    const readLines = (body: string, length: number) =>
      createBodyReaders(
        post(body, { headers: { 'content-type': 'application/jsonl', 'content-length': String(length) } }),
        'lines',
        { maxBytes: LIMIT, parser, share: new BodyBudget(1e6).open() },
      ).readJson()
    await expect(readLines('{"a":1}\n{"a"', 24)).rejects.toThrow('whole lines of JSON; of its 24 bytes 12 came')
    expect(await readLines('{"a":1}\n{"a"', 12)).toMatchObject([{ at: 1, value: { a: 1 } }, { at: 2 }])
    expect(await readLines('{"a":1}\n{"a":2}', 24)).toHaveLength(2)
  })

  it('may start with a byte order mark', async () => {
    expect(await read('\ufeff{}')).toEqual({})
  })

  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/problem+json',
  ])('may be declared as %s', async (type) => {
    expect(await read('{}', { 'content-type': type })).toEqual({})
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/json-seq',
    'text/json-ish',
    'application/octet-stream',
    'text/plain; application/json',
  ])('declared as %s is refused with 415', async (type) => {
    await expect(read('{}', { 'content-type': type })).rejects.toMatchObject({
      status: 415,
      errorType: 'invalid_request',
    })
  })

  it('of no declared type is refused, as browsers send those across origins unasked', async () => {
    const request = new Request('http://server', { method: 'POST', body: new Uint8Array([123, 125]) })
    await expect(readJson(request, LIMIT)).rejects.toMatchObject({ status: 415 })
  })

  it.each(['gzip', 'deflate', 'br', 'identity, gzip'])('encoded as %s is refused with 415', async (encoding) => {
    await expect(read('{}', { 'content-encoding': encoding })).rejects.toMatchObject({ status: 415 })
  })

  it.each(['', '{', '{"a":}', 'state=x', '{} {}', '\0', "{'a':1}", '[1,]', 'NaN'])(
    'of %j is refused under body',
    async (text) => {
      await expect(read(text)).rejects.toMatchObject({ code: 'invalid_request', path: 'body', loc: [] })
    },
  )

  it('that is no JSON is not quoted, not even by the cause', async () => {
    const error = (await read('CANARY').catch((thrown: unknown) => thrown)) as Error
    expect(error.message + JSON.stringify(error) + String(error.cause)).not.toContain('CANARY')
  })

  it('that is not UTF-8 is refused', async () => {
    const headers = { 'content-type': 'application/json' }
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x22, 0xc3],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
    ]) {
      const request = new Request('http://server', { method: 'POST', headers, body: Uint8Array.from(bytes) })
      await expect(readJson(request, LIMIT)).rejects.toMatchObject({ message: 'body: must be UTF-8 text' })
    }
  })

  it('may nest 10,000 levels', async () => {
    const text = '['.repeat(10_000) + ']'.repeat(10_000)
    await expect(readJson(post(text), 100_000)).resolves.toBeInstanceOf(Array)
  })
})

describe('a body over the limit', () => {
  it('is refused by its declared length before any of it is read', async () => {
    const { request, state } = streamed(['x'], { 'content-length': '1001' })
    await expect(readJson(request, LIMIT)).rejects.toMatchObject({ status: 413 })
    expect(state.pulled).toBe(0)
  })

  it('is refused as soon as it is over, and the rest is not read', async () => {
    const { request, state } = streamed(Array.from({ length: 100 }, () => 'x'.repeat(100)))
    await expect(readJson(request, LIMIT)).rejects.toMatchObject({
      status: 413,
      message: 'body: must be at most 1000 bytes',
    })
    expect(state).toEqual({ pulled: 11, cancelled: true })
  })

  it('may be as long as the limit', async () => {
    await expect(read(`"${'x'.repeat(998)}"`)).resolves.toHaveLength(998)
    await expect(read(`"${'x'.repeat(999)}"`)).rejects.toMatchObject({ status: 413 })
  })

  it('counts bytes, not characters', async () => {
    await expect(read(`"${'🎯'.repeat(250)}"`)).rejects.toMatchObject({ status: 413 })
  })
})

it('takes a body that ends early as a client that hung up', async () => {
  const body = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error('reset')) })
  const headers = { 'content-type': 'application/json' }
  const request = new Request('http://server', { method: 'POST', headers, body, duplex: 'half' } as RequestInit)
  await expect(readJson(request, LIMIT)).rejects.toMatchObject({ code: 'aborted' })
})

it('a body that the framework in front ends as too large is refused by that, not as a client that hung up', async () => {
  const reason = 'Content-length of 800000 exceeds limit of 524288 bytes.'
  const body = new ReadableStream({
    start: (stream) => stream.error(Object.assign(new Error(reason), { status: 413 })),
  })
  const headers = { 'content-type': 'application/json' }
  const request = new Request('http://server', { method: 'POST', headers, body, duplex: 'half' } as RequestInit)
  const refusal = { status: 413, message: expect.stringContaining(reason) }
  await expect(readJson(new Request(request), LIMIT)).rejects.toMatchObject(refusal)
})
