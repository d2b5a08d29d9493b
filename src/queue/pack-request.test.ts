import { expect, it } from 'vitest'
import type { Job, JobRequest } from '../http/index.ts'
import { readRequest, writeJob, writeRequest } from './pack-request.ts'

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

it('pictures that were read from JSON come out as the base64 that they were', () => {
  const pictures = { image: bytes, mask: bytes, images: [bytes, 'aGk='], control: { image: bytes, scale: 0.5 } }
  const texts = { image: text, mask: text, images: [text, 'aGk='], control: { image: text, scale: 0.5 } }
  expect(through({ json: { prompt: 'x', ...pictures } })).toEqual({ json: { prompt: 'x', ...texts } })
})

it.each<[string, unknown]>([
  ['lines of a batch', [{ at: 1, value: { custom_id: 'a' } }]],
  ['a decision', { state: { image: 'aGk=', control: 5 }, questions: {} }],
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
  expect(() => writeJob({ id: 'job_1', result: endless } as unknown as Job)).toThrow(fault)
})
