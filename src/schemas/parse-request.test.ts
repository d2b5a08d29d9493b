import { expect, it } from 'vitest'
import * as z from 'zod'
import { InvalidRequestError } from '../errors/index.ts'
import { parseRequest } from './parse-request.ts'
import { expected } from './zod-reader.ts'

/** Counts how often the names of a value are listed. */
function counted<T extends object>(value: T) {
  const count = { lists: 0 }
  const proxy = new Proxy(value, {
    ownKeys(target) {
      count.lists++
      return Reflect.ownKeys(target)
    },
  })
  return { proxy, count }
}

it('does not list the names of a value again for each of its faults', () => {
  const list = counted(Array.from({ length: 1000 }, () => 0))
  const body = counted({ second: 0, list: list.proxy, first: 0 })
  const schema = z.object({ first: z.string(), list: z.array(z.string()), second: z.string() })
  expect(() => parseRequest(schema, body.proxy)).toThrow(expect.objectContaining({ path: 'second' }))
  expect([list.count.lists, body.count.lists]).toEqual([0, 1])
})

it('takes the elements of an array in their order, where there are ten or more', () => {
  const schema = z.object({ list: z.array(z.string()) })
  const list = Array.from({ length: 12 }, (_, index) => (index < 9 ? 'x' : 0))
  expect(() => parseRequest(schema, { list })).toThrow(expect.objectContaining({ path: 'list.9' }))
})

it.each([
  [{ Question: 1 }, 'questions: is required: a number; got Question instead'],
  [{ question: undefined, state: 1 }, 'questions: is required: a number'],
  [{ questions: undefined, question: 1 }, 'questions: is required: a number'],
])('says which member of %j may be the one that is missing', (body, message) => {
  const schema = z.object({ questions: z.number({ error: expected('a number') }) })
  expect(() => parseRequest(schema, body)).toThrow(new InvalidRequestError('questions', message.slice(11)))
})
