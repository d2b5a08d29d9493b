import { beforeEach, describe, expect, it } from 'vitest'
import { createServer } from '../index.ts'
import { formSender, part, picture } from '../test-support/send-form.ts'
import { createStubEngine, type StubEngine } from '../test-support/stub-engine.ts'

let stub: StubEngine
beforeEach(() => {
  stub = createStubEngine()
})

const { send, sendRaw } = formSender(() => stub)

type Field = readonly [name: string, value: string | Blob]

const base64 = (text: string) => Buffer.from(text).toString('base64')

function sendFields(...fields: Field[]) {
  const form = new FormData()
  for (const [name, value] of fields) form.append(name, value)
  return send(form)
}

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
      'two masks',
      /^mask: must be given once, got 2/,
      [
        ['prompt', 'x'],
        ['image', picture('a')],
        ['mask', picture('m')],
        ['mask', picture('n')],
      ],
    ],
    [
      'two backgrounds',
      /^background: must be given once, got 2/,
      [
        ['prompt', 'x'],
        ['image', picture('a')],
        ['background', 'true'],
        ['background', 'auto'],
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
      'markup',
      /^markup: is not taken/,
      [
        ['prompt', 'x'],
        ['image', picture('a')],
        ['markup', picture('m')],
      ],
    ],
    [
      'strength in words',
      /^strength: must be a number above 0 and at most 1/,
      [
        ['prompt', 'x'],
        ['image', picture('a')],
        ['strength', 'half'],
      ],
    ],
    [
      'strength above 1, in as many digits as there are',
      /^strength: must be a number above 0 and at most 1, got 1.3333333333333333/,
      [
        ['prompt', 'x'],
        ['image', picture('a')],
        ['strength', '1.3333333333333333'],
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
