import { expect, it } from 'vitest'
import { createServer } from '../server.ts'
import { get, json } from '../test-support/requests.ts'
import { createStubEngine } from '../test-support/stub-engine.ts'
import { createOpenApiDocument } from './document.ts'

it('is the document that is kept here', async () => {
  await expect(`${JSON.stringify(createOpenApiDocument(), null, 2)}\n`).toMatchFileSnapshot('./openapi.snapshot.json')
})

it('is served as it is', async () => {
  const { fetch } = createServer({ engine: createStubEngine().engine })
  expect(await json(fetch(get('/openapi.json')))).toEqual(JSON.parse(JSON.stringify(createOpenApiDocument())))
})

it('says how many options a choice may have, on both wires', async () => {
  const text = async (maxOptions?: number) =>
    (
      await createServer({ engine: createStubEngine().engine, ...(maxOptions && { maxOptions }) }).fetch(
        get('/openapi.json'),
      )
    ).text()
  const standard = await text()
  expect([standard.match(/"maxItems":26/g), standard.match(/"maxProperties":26/g)]).toEqual([
    ['"maxItems":26'],
    ['"maxProperties":26'],
  ])
  expect(await text(50)).toBe(
    standard.replace('"maxItems":26', '"maxItems":50').replace('"maxProperties":26', '"maxProperties":50'),
  )
})

it('lists the routes that exist', async () => {
  const { fetch } = createServer({ engine: createStubEngine().engine })
  for (const [path, operations] of Object.entries(createOpenApiDocument().paths)) {
    for (const method of Object.keys(operations)) {
      const { status } = await fetch(get(path, { method: method.toUpperCase() }))
      expect([path, method, [404, 405].includes(status)]).toEqual([path, method, false])
    }
  }
})

it('refers to nothing that it does not have', () => {
  const document = createOpenApiDocument()
  const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name)
  expect(new Set(references)).toEqual(new Set(Object.keys(document.components.schemas)))
})

it('lets optional members of image bodies be null, as the routes do', () => {
  const { ImageGenerationRequest, ImageEditRequest } = createOpenApiDocument().components.schemas
  const { prompt, size, seed } = ImageGenerationRequest.properties as Record<string, unknown>
  expect(prompt).toEqual({ type: 'string', minLength: 1 })
  expect([size, seed]).toEqual([
    { anyOf: [expect.objectContaining({ type: 'string' }), { const: 'auto' }, { type: 'null' }] },
    { anyOf: [expect.objectContaining({ type: 'integer' }), { type: 'null' }] },
  ])
  expect(JSON.stringify(ImageEditRequest)).toContain('"images":{"anyOf":[{')
})
