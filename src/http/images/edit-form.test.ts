import { beforeEach, describe, expect, it } from 'vitest'
import { createServer, type ServerOptions } from '../index.ts'
import { json } from '../test-support/requests.ts'
import { createStubEngine, type StubEngine } from '../test-support/stub-engine.ts'

let stub: StubEngine
beforeEach(() => {
  stub = createStubEngine()
})

type Field = readonly [name: string, value: string | Blob]

const picture = (text: string) => new Blob([text], { type: 'image/png' })
const base64 = (text: string) => Buffer.from(text).toString('base64')

async function send(body: BodyInit, headers: Record<string, string> = {}, options: Omit<ServerOptions, 'engine'> = {}) {
  const { fetch } = createServer({ engine: stub.engine, ...options })
  const init = { method: 'POST', body, headers, duplex: 'half' }
  const response = await fetch(new Request('http://server/v1/images/edits', init as RequestInit))
  return { status: response.status, body: await json(response) }
}

function sendFields(...fields: Field[]) {
  const form = new FormData()
  for (const [name, value] of fields) form.append(name, value)
  return send(form)
}

/** A form as it goes over the wire, with lines as they are given. */
const sendRaw = (lines: readonly string[], boundary = 'b', headers: Record<string, string> = {}) =>
  send(lines.join('\r\n'), { 'content-type': `multipart/form-data; boundary=${boundary}`, ...headers })

const part = (name: string, value: string, boundary = 'b') => [
  `--${boundary}`,
  `Content-Disposition: form-data; name="${name}"`,
  '',
  value,
]

describe('a form', () => {
  it('stands for the JSON that has its fields', async () => {
    const { status, body } = await sendFields(
      ['image', picture('one')],
      ['prompt', 'Make it blue 🎯'],
      ['n', '2'],
      ['seed', '-5'],
      ['model', 'beta-klein-4b'],
      ['response_format', 'b64_json'],
      ['size', 'auto'],
      ['quality', 'high'],
      ['stream', 'false'],
    )
    expect([status, body.data]).toEqual([200, [expect.anything(), expect.anything()]])
    expect(stub.drawn).toEqual([
      { model: 'beta-klein-4b', prompt: 'Make it blue 🎯', image: base64('one'), n: 2, seed: -5 },
    ])
  })

  it.each([
    ['image[]', 'image[]'],
    ['image', 'image'],
    ['image[0]', 'image[1]'],
    ['images[]', 'images[]'],
  ])('has several sources as %s and %s, in their order', async (first, second) => {
    await sendFields(['prompt', 'Join'], [first, picture('one')], [second, base64('two')])
    expect(stub.drawn).toEqual([{ prompt: 'Join', images: [base64('one'), base64('two')], n: 1 }])
  })

  it('has one source also as a list', async () => {
    await sendFields(['prompt', 'x'], ['image[]', picture('one')])
    expect(stub.drawn).toMatchObject([{ image: base64('one') }])
  })

  it.each<[string, RegExp, readonly Field[]]>([
    ['no source', /^image: is required/, [['prompt', 'x']]],
    ['no prompt', /^prompt: is required/, [['image', picture('one')]]],
    [
      'an empty source',
      /^image: must not be empty/,
      [
        ['prompt', 'x'],
        ['image', picture('')],
      ],
    ],
    [
      'two prompts',
      /^prompt: must be given once, got 2/,
      [
        ['prompt', 'x'],
        ['prompt', 'y'],
        ['image', picture('a')],
      ],
    ],
    [
      'a file as prompt',
      /^prompt: must be text, got a file/,
      [
        ['prompt', picture('x')],
        ['image', picture('a')],
      ],
    ],
    [
      'a count in words',
      /^n: must be an integer/,
      [
        ['prompt', 'x'],
        ['image', picture('a')],
        ['n', 'two'],
      ],
    ],
    [
      'a hexadecimal seed',
      /^seed: must be an integer/,
      [
        ['prompt', 'x'],
        ['image', picture('a')],
        ['seed', '0x1'],
      ],
    ],
    [
      'stream in words',
      /^stream: must be true or/,
      [
        ['prompt', 'x'],
        ['image', picture('a')],
        ['stream', 'yes'],
      ],
    ],
    [
      'a mask',
      /^mask: is not taken/,
      [
        ['prompt', 'x'],
        ['image', picture('a')],
        ['mask', picture('m')],
      ],
    ],
    [
      'eleven sources',
      /^images: must be an array of 1 to 10/,
      [['prompt', 'x'], ...Array.from({ length: 11 }, () => ['image[]', picture('a')] as const)],
    ],
  ])('with %s is refused', async (_, message, fields) => {
    const { status, body } = await sendFields(...fields)
    expect([status, body.message]).toEqual([422, expect.stringMatching(message)])
    expect(stub.drawn).toEqual([])
  })

  it.each<[string, string, string]>([
    ['quoted', 'name="prompt"', 'name="image"; filename="a.png"'],
    ['as .NET writes them', 'name=prompt', "name=image; filename=a.png; filename*=utf-8''a%20%22.png"],
    ['in another order', 'NAME="prompt"', 'filename="é; name=x.png" ;name=image'],
    [
      'with quotes as Go writes them, and a semicolon at the end',
      'name="prompt";',
      'name="image"; filename="a\\"b.png";',
    ],
    ['with a name of the file in the extended form alone', 'name=prompt', 'name="image"; filename*=UTF-8\'\'a.png'],
  ])('has names of fields and files %s', async (_, prompt, image) => {
    // Contents that look like what stands around them.
    const text = '--c\r\nContent-Disposition: form-data; name=prompt\r\n\r\n --b'
    const { status } = await sendRaw([
      '--b',
      `Content-Disposition: form-data; ${prompt}`,
      '',
      text,
      '--b',
      `content-disposition:Form-Data; ${image}`,
      'Content-Type: image/png',
      '',
      `${text}\r\n`,
      '--b--\r\n',
    ])
    expect(status).toBe(200)
    expect(stub.drawn).toEqual([{ prompt: text, image: base64(`${text}\r\n`), n: 1 }])
  })

  it('may have empty lines around it', async () => {
    const { status } = await sendRaw(['', '', ...part('prompt', 'x'), ...part('image', 'YQ=='), '--b--', '', '', ''])
    expect(status).toBe(200)
  })

  it('takes names of JavaScript for fields that it does not know', async () => {
    const { status } = await sendFields(
      ['__proto__', 'x'],
      ['constructor', 'y'],
      ['toString', 'z'],
      ['prompt', 'x'],
      ['image', picture('a')],
    )
    expect(status).toBe(200)
    expect(stub.drawn).toEqual([{ prompt: 'x', image: base64('a'), n: 1 }])
  })

  it('is no body of other routes', async () => {
    const { fetch } = createServer({ engine: stub.engine })
    const form = new FormData()
    form.append('prompt', 'x')
    for (const path of ['/v1/images/generations', '/v1/systemone', '/v1/decisions']) {
      expect((await fetch(new Request(`http://server${path}`, { method: 'POST', body: form }))).status).toBe(415)
    }
  })
})

describe('a form that is not well made', () => {
  const good = [...part('prompt', 'x'), ...part('image', 'YQ==')]
  const end = '--b--\r\n'

  it('is told from one that is', async () => {
    expect((await sendRaw([...good, end])).status).toBe(200)
  })

  it.each<[string, () => ReturnType<typeof sendRaw>]>([
    ['is empty', () => sendRaw([])],
    ['has no end', () => sendRaw(good)],
    ['has another boundary', () => sendRaw([...good, end], 'other')],
    ['has no boundary', () => send(good.join('\r\n'), { 'content-type': 'multipart/form-data' })],
    ['has an empty boundary', () => sendRaw([...good, end], '')],
    [
      'has a boundary of 71 characters',
      () =>
        sendRaw(
          [...good, end].map((line) => line.replace(/^--b/, `--${'b'.repeat(71)}`)),
          'b'.repeat(71),
        ),
    ],
    [
      'has more headers than a request may have',
      () => sendRaw(['--b', ...Array.from({ length: 4000 }, (_, index) => `${index}:`), ...good.slice(1), end]),
    ],
    ['has a type that cannot be read', () => send('x', { 'content-type': 'multipart/form-data; boundary="' })],
    ['has a part without a name', () => sendRaw(['--b', 'Content-Disposition: form-data', '', 'x', ...good, end])],
    ['has a part without headers', () => sendRaw(['--b', '', 'x', ...good, end])],
    [
      'has a header of a megabyte',
      () => sendRaw([`--b\r\nX-Long: ${'x'.repeat(2 ** 20)}`, '', 'x', ...good.slice(0, 4), end]),
    ],
    ['has a part with a name twice', () => sendRaw([...part('x"; name="y', 'x'), ...good, end])],
    [
      'has a part with two dispositions',
      () => sendRaw([...part('x"\r\nContent-Disposition: form-data; name="y', 'x'), ...good, end]),
    ],
    [
      'has a part with a name that does not end',
      () => sendRaw(['--b', 'Content-Disposition: form-data; name="x', '', 'x', ...good, end]),
    ],
    ['has text after its end', () => sendRaw([...good, `${end}x`])],
    ['has a line that begins as its boundary does', () => sendRaw([...good, '--bc', end])],
    [
      'nests another form',
      () =>
        sendRaw([
          '--b',
          'Content-Disposition: form-data; name="image"',
          'Content-Type: multipart/mixed; boundary=c',
          '',
          ...part('prompt', 'hidden', 'c'),
          '--c--',
          end,
        ]),
    ],
    [
      'has a thousand parts',
      () => sendRaw([...good, ...Array.from({ length: 1000 }, () => part('x', '')).flat(), end]),
    ],
  ])('because it %s gives 422', async (_, sent) => {
    const { status, body } = await sent()
    expect([status, body.error_type]).toEqual([422, 'invalid_request'])
    expect(stub.drawn).toEqual([])
  })

  it('does not name a field by a second name', async () => {
    const { status } = await sendRaw([
      '--b',
      'Content-Disposition: form-data; name="x"; name="prompt"',
      '',
      'hidden',
      ...part('image', 'YQ=='),
      end,
    ])
    expect(status).toBe(422)
  })

  it('is read in time linear in its size', async () => {
    const parts = Array.from({ length: 200_000 }, () => part('x', '')).flat()
    const { status, body } = await sendRaw([...parts, end])
    expect([status, body.message]).toEqual([422, 'body: must have at most 64 parts'])
  })

  it.each(['\n', '\r', '"', 'x'])('is read in time linear in a header of blanks that ends in %j', async (last) => {
    const blanks = ' '.repeat(2 ** 20) + last
    for (const header of ['a:', 'Content-Disposition: form-data;']) {
      expect((await sendRaw(['--b', header + blanks, '', 'x', ...good, end])).status).toBe(422)
    }
  })

  it('is refused above the limit, packed, or half sent', async () => {
    const large = await send(
      new Uint8Array(1000),
      { 'content-type': 'multipart/form-data; boundary=b' },
      {
        maxEditBodyBytes: 999,
      },
    )
    expect(large).toMatchObject({ status: 413, body: { message: 'body: must be at most 999 bytes' } })
    expect((await sendRaw([...good, end], 'b', { 'content-encoding': 'gzip' })).status).toBe(415)
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) })
    expect((await send(broken, { 'content-type': 'multipart/form-data; boundary=b' })).status).toBe(499)
  })
})

it('a form that a web page sends without asking is refused', async () => {
  const form = () => {
    const made = new FormData()
    made.append('prompt', 'x')
    made.append('image', picture('a'))
    return made
  }
  const origin = 'https://elsewhere.example'
  expect((await send(form(), { origin })).status).toBe(415)
  expect(stub.drawn).toEqual([])
  expect((await send(form(), { origin, authorization: 'Bearer any' })).status).toBe(200)
})
