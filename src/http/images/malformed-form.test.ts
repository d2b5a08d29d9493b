import { beforeEach, describe, expect, it, vi } from 'vitest'
import { formSender, part } from '../test-support/send-form.ts'
import { createStubEngine, type StubEngine } from '../test-support/stub-engine.ts'

let stub: StubEngine
beforeEach(() => {
  stub = createStubEngine()
})

const { send, sendRaw } = formSender(() => stub)

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

  it.each(['quoted-printable', 'x-uuencode', 'gzip'])('has no part in %s', async (encoding) => {
    const [mark, disposition, ...content] = part('prompt', 'red=20blue')
    const encoded = [mark!, disposition!, `Content-Transfer-Encoding: ${encoding}`, ...content]
    const { status, body } = await sendRaw([...encoded, ...part('image', 'YQ=='), end])
    const reason = 'must have each part as it is, or in base64, and in no other Content-Transfer-Encoding'
    expect([status, body['message']]).toEqual([422, `body: ${reason}`])
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

  it('names a text that is not UTF-8', async () => {
    const form = [...part('prompt', 'Zürich'), ...part('image', 'YQ=='), end].join('\r\n')
    const { status, body } = await send(Buffer.from(form, 'latin1'), {
      'content-type': 'multipart/form-data; boundary=b',
    })
    expect([status, body['message']]).toEqual([422, 'prompt: must be UTF-8 text'])
  })

  it('is read in time linear in its size', async () => {
    const parts = Array.from({ length: 200_000 }, () => part('x', '')).flat()
    const { status, body } = await sendRaw([...parts, end])
    expect([status, body.message]).toEqual([422, 'body: must have at most 64 parts'])
  })

  it('may be nothing but line breaks, for which no memory is taken one by one', async () => {
    const from = vi.spyOn(Buffer, 'from')
    const { status } = await send('\r\n'.repeat(100_000), { 'content-type': 'multipart/form-data; boundary=b' })
    const { length } = from.mock.calls
    from.mockRestore()
    expect(status).toBe(422)
    expect(length).toBeLessThan(1000)
    expect((await sendRaw(['', '', '', ...good, end, '', ''])).status).toBe(200)
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
