import { expect, it } from 'vitest'
import { parseBody } from '../http/body/parse-body.ts'
import type { JobRequest } from '../http/index.ts'
import { toComparable } from '../http/usage/to-comparable.ts'
import { readRequest, writeRequest, writeResult } from './pack-request.ts'

const caller = { id: 'me' } as JobRequest['caller']
const bytes = new Uint8Array([0, 255, 7])
const text = Buffer.from(bytes).toString('base64')
const through = (body: JobRequest['body']) => readRequest(writeRequest({ body, caller })).body

it('a form comes out as it went in', () => {
  const form = [
    { name: 'prompt', isFile: false, value: 'é🎯' },
    { name: 'image', isFile: true, value: bytes },
    { name: 'control[image]', isFile: true, value: bytes },
  ]
  expect(through({ form })).toEqual({ form })
})

it('pictures of JSON come out as they went in: bytes as bytes, base64 as base64', () => {
  const pictures = { image: bytes, mask: text, images: [bytes, text], control: { image: bytes, scale: 0.5 } }
  const json = { prompt: 'x', ...pictures, size: '64x64' }
  expect(through({ json })).toEqual({ json })
  const others = { image: text, mask: bytes, images: [text, bytes], control: { image: text } }
  expect(through({ json: others })).toEqual({ json: others })
})

it('a request with a large picture is the same one for whoever takes its job over', () => {
  const base64 = Buffer.alloc(60_000, 7).toString('base64')
  const sent = JSON.stringify({ prompt: 'x', images: ['aGk=', base64], control: { image: base64 }, size: '64x64' })
  const parsed = parseBody(new TextEncoder().encode(sent), { type: 'pictures' })
  const json = 'value' in parsed ? parsed.value : undefined
  expect((json as { readonly images: readonly unknown[] }).images[1]).toBeInstanceOf(Uint8Array)
  expect(toComparable(through({ json }))).toBe(toComparable({ json }))
})

it.each<[string, unknown]>([
  ['lines of a batch', [{ at: 1, value: { custom_id: 'a' } }]],
  ['a decision', { state: { image: 'aGk=', control: 5 }, questions: {} }],
  ['a control without a picture', { prompt: 'x', control: { scale: 1 } }],
  ['what the route refuses', { prompt: 5, images: 'x', control: ['x'], image: null }],
  ['null', null],
  ['a text', 'x'],
])('other JSON stays as it is: %s', (_, json) => {
  expect(through({ json })).toEqual({ json })
})

it('a job that cannot be written as text is no fault of the store', () => {
  const endless: unknown[] = []
  endless.push(endless)
  const fault = expect.objectContaining({ code: 'internal_error' })
  expect(() => writeRequest({ body: { json: endless }, caller })).toThrow(fault)
  expect(() => writeResult(endless)).toThrow(fault)
})
