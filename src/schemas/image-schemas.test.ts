import { describe, expect, it } from 'vitest'
import { errorBodySchema, imageResponseSchema, parseImageEditRequest, parseImageGenerationRequest } from './index.ts'
import { faultOf } from './test-support/fault-of.ts'

const refuse = (parse: (body: unknown) => unknown, body: unknown) => faultOf(() => parse(body))

describe.each([
  ['generation', parseImageGenerationRequest, {}],
  ['edit', parseImageEditRequest, { image: 'aGk=' }],
] as const)('an image %s request', (_, parse, base) => {
  it('needs nothing but its required fields, and fills in n', () => {
    expect(parse({ ...base, prompt: 'a red apple' })).toMatchObject({ ...base, prompt: 'a red apple', n: 1 })
  })

  it('is stable under parsing twice', () => {
    const once = parse({ ...base, prompt: 'x', n: 2, model: 'm', unknown: 1 })
    expect(parse(once)).toStrictEqual(once)
    expect(once).not.toHaveProperty('unknown')
  })

  it.each([1, 4])('takes n of %d', (n) => {
    expect(parse({ ...base, prompt: 'x', n }).n).toBe(n)
  })

  it.each([0, 5, 1.5, -1, '2', null, Number.NaN])('refuses n of %s', (n) => {
    expect(refuse(parse, { ...base, prompt: 'x', n }).path).toBe('n')
  })

  it.each([undefined, null, 5, '', ['x'], 'a\ud800', 'x'.repeat(32_001)])('refuses a wrong prompt', (prompt) => {
    expect(refuse(parse, { ...base, prompt }).path).toBe('prompt')
  })

  it('takes prompts of 1 and of 32,000 characters', () => {
    for (const prompt of ['x', 'x'.repeat(32_000), '🎯'.repeat(32_000)]) {
      expect(parse({ ...base, prompt }).prompt).toBe(prompt)
    }
  })

  it.each([null, 5, {}])('refuses a model of %s', (model) => {
    expect(refuse(parse, { ...base, prompt: 'x', model }).path).toBe('model')
  })

  it.each([undefined, null, [], 'x', 5])('refuses a body of %s', (body) => {
    expect(refuse(parse, body).path).toBe('body')
  })
})

describe('an image generation request', () => {
  const sized = (size: unknown) => parseImageGenerationRequest({ prompt: 'x', size }).size

  it('takes sides of 16 to 2048 and has a default', () => {
    expect(sized(undefined)).toBe('1024x1024')
    for (const size of ['16x16', '2048x2048', '17x2047', '256x1024']) expect(sized(size)).toBe(size)
  })

  it.each([
    '15x16',
    '16x15',
    '2049x16',
    '16x2049',
    '0x0',
    '-16x16',
    '16',
    '16x',
    'x16',
    '16x16x16',
    '016x16',
    '16.0x16',
    '1e3x16',
    '16X16',
    '16 x 16',
    ' 16x16',
    '16x16\n',
    '',
    'auto',
    '99999999999x16',
    null,
    256,
    ['16x16'],
  ])('refuses the size %j', (size) => {
    expect(refuse(parseImageGenerationRequest, { prompt: 'x', size }).path).toBe('size')
  })

  it.each([
    ['4096x4096', "got '4096x4096'"],
    ['512 × 512', "got '512 × 512'"],
    ['auto', "got 'auto'"],
    ['', "got ''"],
    [512, 'got a number'],
    ['as large as Jane Doe wants', 'got a string'],
    ['1'.repeat(100), 'got a string'],
  ])('says of the size %j what it is, unless it may be content', (size, got) => {
    const { reason } = refuse(parseImageGenerationRequest, { prompt: 'x', size })
    expect(reason).toBe(`must be "<W>x<H>" with whole numbers of pixels from 16 to 2048 per side, ${got}`)
  })

  it.each([0, 7, -7, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])('takes the seed %d', (seed) => {
    expect(parseImageGenerationRequest({ prompt: 'x', seed }).seed).toBe(seed)
  })

  it.each([1.5, 2 ** 53, -(2 ** 53), Number.POSITIVE_INFINITY, '7', null])('refuses the seed %s', (seed) => {
    expect(refuse(parseImageGenerationRequest, { prompt: 'x', seed }).path).toBe('seed')
  })
})

describe('an image edit request', () => {
  const sources = (fields: object) => ({ prompt: 'x', ...fields })

  it('takes one source, or 1 to 10', () => {
    for (const fields of [
      { image: 'a' },
      { images: ['a'] },
      { images: Array(10).fill('data:image/png;base64,aGk=') },
    ]) {
      expect(parseImageEditRequest(sources(fields))).toMatchObject(fields)
    }
  })

  it.each<[string, object]>([
    ['image', {}],
    ['image', { image: undefined }],
    ['image', { image: '' }],
    ['image', { image: 5 }],
    ['image', { image: null }],
    ['images', { image: 'a', images: ['a'] }],
    ['images', { images: [] }],
    ['images', { images: Array(11).fill('a') }],
    ['images', { images: 'a' }],
    ['images', { images: null }],
    ['images', { images: { 0: 'a' } }],
    ['images.1', { images: ['a', ''] }],
    ['images.1', { images: ['a', 5] }],
    ['images.0', { images: [null] }],
  ])('is refused under %s for %j', (path, fields) => {
    expect(refuse(parseImageEditRequest, sources(fields)).path).toBe(path)
  })

  it('reports the first fault in document order', () => {
    expect(refuse(parseImageEditRequest, { n: 9, image: 5, prompt: 5 }).path).toBe('n')
    expect(refuse(parseImageEditRequest, { image: 5, n: 9 }).path).toBe('image')
  })
})

describe('response schemas', () => {
  it('take an image response and refuse one without images', () => {
    expect(imageResponseSchema.safeParse({ data: [{ b64_json: 'aGk=' }] }).success).toBe(true)
    for (const body of [{}, { data: [] }, { data: [{}] }, { data: [{ b64_json: '' }] }]) {
      expect(imageResponseSchema.safeParse(body).success).toBe(false)
    }
  })

  it('take an error body with its extra fields', () => {
    const body = { message: 'x', error_type: 'invalid_request', detail: [{ loc: ['body'] }] }
    expect(errorBodySchema.parse(body)).toEqual(body)
    expect(errorBodySchema.safeParse({ message: 'x' }).success).toBe(false)
  })
})
