import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import type { RequestLog } from '../src/http/index.ts'
import { bearer } from '../src/http/test-support/requests.ts'
import { captureOutput } from './helpers/capture-output.ts'
import { pngHeader, writePng, zipBomb } from './helpers/png-chunks.ts'
import { startTinyServer } from './helpers/tiny-server.ts'

const CANARY = 'CANARY-7f3a'
const GENERATIONS = '/v1/images/generations'
const EDITS = '/v1/images/edits'

const entries: RequestLog[] = []
const written = captureOutput()
const tiny = await startTinyServer({
  keys: [{ key: 'right', id: 'me', prepaid: '5', scopes: ['images', 'metrics'] }],
  images: true,
  log: (entry) => entries.push(entry),
})
const picture = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#a05050' } })
  .png()
  .toBuffer()

async function send(path: string, body: BodyInit | object, headers: Record<string, string> = {}) {
  const form = body instanceof FormData || typeof body === 'string'
  const response = await fetch(tiny.url + path, {
    method: 'POST',
    headers: {
      ...bearer('right'),
      ...(!(body instanceof FormData) && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: form ? body : JSON.stringify(body),
  })
  return { status: response.status, text: await response.text(), headers: JSON.stringify([...response.headers]) }
}

function formOf(fields: Readonly<Record<string, string | Blob>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') form.append(name, value)
    else form.append(name, value, `${CANARY}.png`)
  }
  return form
}

it('what a request for pictures says is in no log, metric, error or account, whatever becomes of it', async () => {
  const good = { prompt: CANARY, size: '64x64' }
  const image = `data:image/png;base64,${picture.toString('base64')}`
  const file = new Blob([CANARY])
  const sent = [
    await send(GENERATIONS, good),
    await send(GENERATIONS, { ...good, stream: true }),
    await send(GENERATIONS, { ...good, size: CANARY }),
    await send(GENERATIONS, { ...good, n: CANARY, response_format: CANARY }),
    await send(GENERATIONS, { ...good, response_format: CANARY }),
    await send(GENERATIONS, { ...good, stream: CANARY }),
    await send(GENERATIONS, { ...good, model: `${CANARY}/nothing` }),
    await send(GENERATIONS, `{"prompt":"${CANARY}`),
    await send(EDITS, { prompt: CANARY, image: CANARY }),
    await send(EDITS, { prompt: CANARY, image: `data:${CANARY}` }),
    await send(EDITS, { prompt: CANARY, image, mask: CANARY }),
    await send(EDITS, formOf({ prompt: CANARY, image: file })),
    await send(EDITS, formOf({ prompt: file, image: file })),
    await send(
      EDITS,
      formOf({ prompt: CANARY, image: new Blob([new Uint8Array(picture)]), [CANARY]: CANARY, n: CANARY }),
    ),
    await send(EDITS, `--${CANARY}\r\n${CANARY}`, { 'content-type': `multipart/form-data; boundary=${CANARY}` }),
    await send(EDITS, CANARY, { 'content-type': `multipart/form-data; ${CANARY}` }),
    await send(`${EDITS}?${CANARY}`, formOf({ prompt: CANARY, image: new Blob([new Uint8Array(picture)]) })),
  ]
  const expected = [200, 200, 422, 422, 422, 422, 404, 422, 422, 422, 422, 422, 422, 422, 422, 422, 200]
  expect(sent.map(({ status }) => status)).toEqual(expected)
  expect(entries.map(({ status }) => status)).toEqual(expected)
  const errors = sent.flatMap(({ status, text, headers }) => (status === 200 ? [headers] : [text, headers]))
  const metrics = await (await fetch(`${tiny.url}/metrics`, { headers: bearer('right') })).text()
  const usage = await (await fetch(`${tiny.url}/v1/usage`, { headers: bearer('right') })).text()
  const account = JSON.stringify(await tiny.server.usage('me'))
  for (const text of [...errors, ...written, metrics, usage, account, JSON.stringify(entries)]) {
    expect(text).not.toContain(CANARY)
    expect(text).not.toContain(Buffer.from(CANARY).toString('base64').slice(0, 12))
  }
})

const END = { tag: 'IEND', data: new Uint8Array() }
const pixels = (bytes: number) => ({ tag: 'IDAT', data: deflateSync(Buffer.alloc(bytes)) })
const bomb = () => writePng([pngHeader(30_000, 30_000), pixels(64 * 2 ** 20), END])

describe('a picture that is made to harm', () => {
  it.each<[string, () => Buffer]>([
    ['of 2 billion pixels a side', () => writePng([pngHeader(2 ** 31 - 1, 2 ** 31 - 1), pixels(9), END])],
    ['of 30,000 pixels a side', bomb],
    ['without pixels', () => writePng([pngHeader(0, 0), pixels(9), END])],
    ['that ends early', () => writePng([pngHeader(64, 64), pixels(1000), END])],
    ['of a header alone', () => writePng([pngHeader(64, 64)])],
    [
      'with a chunk longer than the file',
      () => Buffer.concat([writePng([pngHeader(64, 64)]), Buffer.from('7fffffff49444154', 'hex')]),
    ],
    [
      'that is an SVG which reads a file',
      () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>'),
    ],
  ])('%s is refused with 422 that names it, as base64 and as a file', async (_, make) => {
    const file = make()
    const bodies = [
      { prompt: 'x', image: file.toString('base64') },
      formOf({ prompt: 'x', image: new Blob([new Uint8Array(file)]) }),
    ]
    for (const body of bodies) {
      const { status, text } = await send(EDITS, body)
      expect([status, JSON.parse(text)]).toEqual([
        422,
        expect.objectContaining({
          error_type: 'invalid_request',
          message: expect.stringMatching(/^image: /),
        }),
      ])
    }
  })

  it('among others is named by its place', async () => {
    const images = [picture, bomb()].map((file) => file.toString('base64'))
    const { status, text } = await send(EDITS, { prompt: 'x', images })
    expect([status, JSON.parse(text)]).toEqual([
      422,
      expect.objectContaining({
        error: expect.objectContaining({ param: 'images[1]' }),
      }),
    ])
  })

  it('by chunks that want to become a gigabyte does not get it', async () => {
    const before = process.memoryUsage().rss
    for (const tag of ['zTXt', 'iCCP'] as const) {
      const chunk = zipBomb(tag, 64)
      const file = writePng([pngHeader(64, 64), ...Array.from({ length: 16 }, () => chunk), pixels(64 * 193), END])
      expect([200, 422]).toContain((await send(EDITS, { prompt: 'x', image: file.toString('base64') })).status)
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(500 * 2 ** 20)
  })

  it('leaves the service as it was', async () => {
    expect((await send(GENERATIONS, { prompt: 'still here', size: '64x64' })).status).toBe(200)
  })
})
