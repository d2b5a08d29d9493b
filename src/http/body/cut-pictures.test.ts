import { randomFillSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { cutPictures } from './cut-pictures.ts'
import { parseBody } from './parse-body.ts'

const file = new Uint8Array(randomFillSync(Buffer.alloc(100_000)))
const base64 = Buffer.from(file).toString('base64')
const bytesOf = (text: string) => new Uint8Array(Buffer.from(text))
/** Bytes in a value as text, which is quicker to compare. */
const toText = (value: unknown) =>
  JSON.parse(
    JSON.stringify(value, (_, member: unknown) =>
      member instanceof Uint8Array ? `bytes ${Buffer.from(member).toString('base64')}` : member,
    ),
  ) as unknown
const read = (text: string) => toText(parseBody(bytesOf(text), { type: 'pictures' }))
const FILE = toText(file)
const readValue = (body: object) => read(JSON.stringify(body))

describe('the JSON of a request for pictures', () => {
  it('has its large pictures as bytes, which are those of the body', () => {
    const body = bytesOf(
      JSON.stringify({ prompt: 'é🎯', image: base64, mask: base64, images: [base64, 'aGk=', base64] }),
    )
    const { value } = parseBody(body, { type: 'pictures' }) as { value: Record<string, Uint8Array & Uint8Array[]> }
    expect(toText(value)).toEqual({ prompt: 'é🎯', image: FILE, mask: FILE, images: [FILE, 'aGk=', FILE] })
    for (const picture of [value.image, value.mask, value.images![0], value.images![2]]) {
      expect(picture!.buffer).toBe(body.buffer)
    }
  })

  it.each([
    ['a data URL', `data:image/png;base64,${base64}`],
    ['a data URL in capitals with parameters', `DATA:image/png;charset=x;BASE64,${base64}`],
    ['line breaks', base64.replace(/.{76}/g, '$&\r\n')],
    ['blanks', base64.replace(/.{76}/g, '$& ')],
    ['padding left out', base64.replace(/=+$/, '')],
  ])('may write them with %s', (_, image) => {
    expect(readValue({ image })).toEqual({ value: { image: FILE } })
  })

  it('has that of a control as bytes', () => {
    const body = bytesOf(JSON.stringify({ control: { scale: 1, image: base64 }, image: base64 }))
    const { value } = parseBody(body, { type: 'pictures' }) as {
      value: { control: { image: Uint8Array }; image: Uint8Array }
    }
    expect(toText(value)).toEqual({ control: { scale: 1, image: FILE }, image: FILE })
    expect([value.control.image.buffer, value.image.buffer]).toEqual([body.buffer, body.buffer])
    const text = '~'.repeat(100_000)
    expect(readValue({ control: { image: text } })).toEqual({
      value: { control: { image: `${text.slice(0, 1000)}!` } },
    })
  })

  it.each([1, 2, 3])('decodes every length, here %i more than a multiple of three', (more) => {
    const picture = file.subarray(0, 60_000 + more)
    expect(readValue({ image: Buffer.from(picture).toString('base64') })).toEqual({ value: { image: toText(picture) } })
  })

  it.each([
    ['other text', '~'.repeat(100_000)],
    ['base64 that ends in the midst of a group', 'A'.repeat(100_001)],
    ['padding in its midst', `${base64}=${base64}`],
    ['the URL of a file', `https://${'a'.repeat(100_000)}`],
    ['a data URL that is no base64', `data:image/svg+xml,${'a'.repeat(100_000)}`],
  ])('sends on the beginning of %s, which the reader of sources refuses', (_, image) => {
    expect(readValue({ image })).toEqual({ value: { image: `${image.slice(0, 1000)}!` } })
  })

  it('leaves everything else as it is', () => {
    const members = [
      { prompt: base64, image: 'aGk=', state: { image: base64, images: [base64] }, imagesX: base64 },
      { images: [[base64], { image: base64 }] },
      { images: base64.slice(0, 10), 'a"b': '\\' },
      { control: [base64], controls: { image: base64 }, controlX: { image: base64 } },
      { control: { picture: base64, images: [base64], image: { image: base64 }, imageX: base64 } },
      { x: { image: 'aGk=' }, control: [base64, { image: base64 }] },
      { control: null },
      [base64],
      [{ image: base64 }],
    ]
    for (const body of members) expect(readValue(body)).toEqual({ value: body })
    for (const text of ['null', '5', `"${base64}"`]) expect(read(text)).toEqual({ value: JSON.parse(text) })
  })

  it('means the last of several members of a name, as JSON does', () => {
    expect(read(`{"image":"${base64}","image":"aGk="}`)).toEqual({ value: { image: 'aGk=' } })
    expect(read(`{"image" : "aGk=", "image"\n:\t"${base64}"}`)).toEqual({ value: { image: FILE } })
  })

  it.each([`{"image":"${base64}`, `{"image":"${base64}"`, `{"image":"${base64}"}}`, `}"image":"${base64}"`])(
    'that is none is refused also with a picture in it',
    (text) => {
      expect(read(text)).toEqual({ refused: 'must be valid JSON' })
    },
  )

  it('cannot name a picture that stands elsewhere', () => {
    const { text } = cutPictures(bytesOf(JSON.stringify({ image: base64, prompt: 'x' })))
    const { image } = JSON.parse(Buffer.from(text).toString()) as { readonly image: string }
    // What stands for a picture of one body stands for none of the next.
    expect(readValue({ image: base64, mask: image })).toEqual({ value: { image: FILE, mask: image } })
  })
})
