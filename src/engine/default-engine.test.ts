import sharp from 'sharp'
import { afterEach, beforeAll, expect, it } from 'vitest'
import type { DecisionRequestInput, EditImageRequest } from '../schemas/index.ts'
import { countTokens, decide, decideMany, disposeDefaultEngine, editImage, generateImage } from './default-engine.ts'

// An object that the caller uses again, as a parser of rows may: between a call and its answer it says something else.
const STATES = ['a', 'a b', 'a b c'] as const
const questions = { q: { type: 'noul', instructions: 'Is it x?' } } as const

let expected: number[]
beforeAll(async () => {
  const counts = await Promise.all(STATES.map((state) => countTokens({ state, questions })))
  expected = counts.map(({ input_tokens: count }) => count)
})
afterEach(disposeDefaultEngine)

function callEach<T>(call: (request: DecisionRequestInput) => Promise<T>): Promise<T[]> {
  const request: { -readonly [Field in keyof DecisionRequestInput]: DecisionRequestInput[Field] } = {
    state: '',
    questions,
  }
  const calls = STATES.map((state) => {
    request.state = state
    return call(request)
  })
  request.state = 'something else altogether'
  return Promise.all(calls)
}

it('decisions are about what the request said when the call was made', async () => {
  const responses = await callEach((request) => decide(request))
  expect(responses.map(({ usage }) => usage.input_tokens)).toEqual(expected)
  expect(new Set(expected).size).toBe(STATES.length)
})

it('tokens are counted of what the request said when the call was made', async () => {
  const counts = await callEach((request) => countTokens(request))
  expect(counts.map(({ input_tokens: count }) => count)).toEqual(expected)
})

it('many decisions are about what their source said, also where it yields one object again and again', async () => {
  function* rows() {
    const request = { state: '', questions }
    for (const state of STATES) yield Object.assign(request, { state })
  }
  const counts: (number | undefined)[] = []
  for await (const { response } of decideMany(rows())) counts.push(response?.usage.input_tokens)
  expect(counts).toEqual(expected)
})

it('what nothing reads of a request is warned of once, as it was when the call was made', async () => {
  const request: Record<string, unknown> = { state: 'x', questions, sate: 'x' }
  const call = decide(request as unknown as DecisionRequestInput)
  delete request.sate
  expect((await call).warnings).toMatchObject([{ code: 'unknown_field', path: 'sate' }])
  const picture = { prompt: 'an apple', size: '64x64', sise: '64x64' }
  expect((await generateImage(picture, { steps: 1 })).warnings).toMatchObject([{ path: 'sise' }])
})

it('pictures are those that request and options said when the call was made', async () => {
  const request = { prompt: 'an apple', size: '64x64', seed: 7 }
  const options = { steps: 1 }
  const expected = await generateImage({ ...request }, { ...options })
  await disposeDefaultEngine()
  const call = generateImage(request, options)
  Object.assign(request, { prompt: 'a house', seed: 8 })
  options.steps = 2
  expect(await call).toEqual(expected)
})

it('edits are of the pictures that the caller had when the call was made', async () => {
  const file = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#c04020' } })
    .png()
    .toBuffer()
  const request = { prompt: 'make it green', image: new Uint8Array(file), mask: new Uint8Array(file), seed: 7 }
  const expected = await editImage({ ...request }, { steps: 1 })
  await disposeDefaultEngine()
  const call = editImage(request, { steps: 1 })
  for (const bytes of [request.image, request.mask]) bytes.fill(0)
  Object.assign(request, { prompt: 'a house', seed: 8, color: 'red' })
  expect(await call).toEqual(expected)
})

it.each([
  ['decide', decide],
  ['countTokens', countTokens],
  ['generateImage', generateImage],
  ['editImage', editImage],
] as const)('%s rejects what is at fault, and throws nothing where it is called', async (_, call) => {
  const made = call as (request: unknown, options?: unknown) => Promise<unknown>
  await expect(made(undefined)).rejects.toMatchObject({ code: 'invalid_request', path: 'body' })
  const refusal = { code: 'invalid_request', message: 'options: must be an object, got null' }
  await expect(made({} as EditImageRequest, null)).rejects.toMatchObject(refusal)
})

it.each([
  ['decide', decide, { state: 'x', questions }],
  ['generateImage', generateImage, { prompt: 'an apple' }],
] as const)('%s computes with the adapters that its options had when the call was made', async (_, call, request) => {
  const made = call as (request: unknown, options: unknown) => Promise<unknown>
  const lora = [{ path: './no-such-adapter.safetensors' }]
  const [first, second] = [made(request, { lora }), made(request, { lora })]
  lora[0]!.path = './another.safetensors'
  lora.push({ path: '' })
  for (const each of [first, second]) await expect(each).rejects.toThrow('no-such-adapter')
})
