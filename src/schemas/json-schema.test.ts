import { expect, it } from 'vitest'
import * as z from 'zod'
import { decisionRequestSchema } from './decision-request.ts'
import { decisionResponseSchema } from './decision-response.ts'
import { imageEditRequestSchema, imageGenerationRequestSchema } from './image-schemas.ts'
import { toJsonSchema } from './json-schema.ts'
import { ownRecord } from './zod-reader.ts'

it('describes what function-made schemas take, inside objects, unions and maps', () => {
  expect(toJsonSchema(decisionRequestSchema)).toMatchObject({
    type: 'object',
    required: ['state', 'questions'],
    properties: {
      state: { type: ['string', 'object', 'array'] },
      questions: {
        type: 'object',
        minProperties: 1,
        maxProperties: 32,
        additionalProperties: {
          oneOf: [
            {
              properties: {
                type: { const: 'noul' },
                criteria: { type: ['object', 'null'], additionalProperties: false },
              },
            },
            {
              properties: {
                type: { const: 'choice' },
                criteria: { type: 'object', minProperties: 2, maxProperties: 26 },
              },
            },
            { properties: { type: { const: 'score' }, criteria: { type: 'array', minItems: 2, maxItems: 10 } } },
          ],
        },
      },
    },
  })
})

it('describes the other bodies', () => {
  expect(toJsonSchema(decisionResponseSchema)).toMatchObject({ required: ['model', 'answers', 'usage', 'latency_ms'] })
  expect(toJsonSchema(imageGenerationRequestSchema)).toMatchObject({
    required: ['prompt'],
    properties: { prompt: { type: 'string', minLength: 1 } },
  })
  expect(toJsonSchema(imageEditRequestSchema)).toMatchObject({
    properties: { images: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 10 } },
  })
})

it('names the draft nowhere, so that it fits into a larger document', () => {
  expect(JSON.stringify(toJsonSchema(ownRecord(z.number(), 'numbers')))).toBe(
    '{"type":"object","additionalProperties":{"type":"number"}}',
  )
})
