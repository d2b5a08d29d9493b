import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { version } from '../../../package.json'
import { createServer } from '../server.ts'
import { mounts } from '../test-support/mounts.ts'
import { get, json, post } from '../test-support/requests.ts'
import { createStubEngine } from '../test-support/stub-engine.ts'
import { createOpenApiDocument } from './document.ts'

it('is the document that is kept here', async () => {
  const { info, ...document } = createOpenApiDocument()
  expect(info.version).toBe(version)
  const kept = { ...document, info: { ...info, version: '0.0.0' } }
  await expect(`${JSON.stringify(kept, null, 2)}\n`).toMatchFileSnapshot('./openapi.snapshot.json')
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
      const response = await fetch(get(path, { method: method.toUpperCase() }))
      const isThere =
        ![404, 405].includes(response.status) || /no such job|no model of this name/.test(await response.text())
      expect([path, method, isThere]).toEqual([path, method, true])
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
    { anyOf: [expect.objectContaining({ type: 'string' }), { type: 'null' }] },
    { anyOf: [expect.objectContaining({ type: 'integer' }), { type: 'null' }] },
  ])
  expect(JSON.stringify(ImageEditRequest)).toContain('"images":{"anyOf":[{')
  expect(ImageEditRequest.properties).toMatchObject({ seed })
})

it('has in the form of an edit the fields of its JSON body', () => {
  const { paths, components } = createOpenApiDocument()
  const { schema } = paths['/v1/images/edits'].post.requestBody.content['multipart/form-data']
  const inForm = Object.keys(schema.properties).map((name) => name.replace(/\[.*/, ''))
  // Several sources are files of one name there.
  expect([...new Set([...inForm, 'images'])].sort()).toEqual(
    Object.keys(components.schemas.ImageEditRequest.properties!).sort(),
  )
  expect(schema.required).toEqual(['prompt', 'image'])
})

it('names no member that may be null alone, and null once, which other members of clients are made from', () => {
  const { ImageGenerationRequest, ImageEditRequest } = createOpenApiDocument().components.schemas
  const members = [ImageGenerationRequest, ImageEditRequest].flatMap(({ properties = {} }) =>
    Object.values(properties).map((property) => JSON.stringify(property)),
  )
  expect(members.filter((text) => text === '{"type":"null"}')).toEqual([])
  expect(members.filter((text) => text.includes('"null"]},{"type":"null"}'))).toEqual([])
})

interface Schema {
  readonly type?: string | readonly string[]
  readonly properties?: object
  readonly additionalProperties?: unknown
  readonly items?: unknown
}

function schemasWithin(value: unknown): Schema[] {
  if (typeof value !== 'object' || value === null) return []
  return [value, ...Object.values(value).flatMap(schemasWithin)]
}

it('says what objects and arrays hold, without which generated clients take no record, or fail', () => {
  const found = Object.values(createOpenApiDocument().components.schemas).flatMap(schemasWithin)
  const has = ({ type }: Schema, wanted: string) => (Array.isArray(type) ? type.includes(wanted) : type === wanted)
  const records = found.filter((schema) => has(schema, 'object'))
  const lists = found.filter((schema) => has(schema, 'array'))
  expect(Math.min(records.length, lists.length)).toBeGreaterThan(10)
  expect(records.filter(({ properties, additionalProperties }) => !properties && !additionalProperties)).toEqual([])
  expect(lists.filter(({ items }) => !items)).toEqual([])
})

it('tells a schema once, by one name', () => {
  const { schemas } = createOpenApiDocument().components
  const texts = new Map(Object.entries(schemas).map(([name, schema]) => [JSON.stringify(schema), name]))
  const within = Object.values(schemas).flatMap((schema) => Object.values(schema).flatMap(schemasWithin))
  expect(within.flatMap((schema) => texts.get(JSON.stringify(schema)) ?? [])).toEqual([])
  expect(schemas.DecisionRequest.properties).toMatchObject({
    questions: {
      additionalProperties: {
        oneOf: ['Noul', 'Choice', 'Score'].map((type) => ({ $ref: `#/components/schemas/${type}Question` })),
      },
    },
  })
})

interface Media {
  readonly schema: object
  readonly example?: unknown
}

interface Operation {
  readonly tags: readonly string[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>
}

const { components, paths, tags } = createOpenApiDocument()
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    path,
    method,
    operation: operation as unknown as Operation,
  })),
)

const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema({ $id: 'document', components })

function faultsOf({ schema, example }: Media) {
  const check = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object)
  check(example)
  return check.errors
}

describe('examples', () => {
  it('fit their schemas', () => {
    const media = operations.flatMap(({ operation: { requestBody, responses } }) =>
      [requestBody, ...Object.values(responses)].flatMap((part) => Object.values(part?.content ?? {})),
    )
    const shown = media.filter(({ example }) => example !== undefined)
    expect(shown.length).toBeGreaterThan(60)
    expect(shown.map(faultsOf).filter((faults) => faults !== null)).toEqual([])
    const [one] = shown
    expect(faultsOf({ ...one!, example: {} })).not.toBeNull()
  })

  it('of requests are answered, by what their own answers look like', async () => {
    const { fetch } = createServer({ engine: createStubEngine().engine })
    const posts = operations.filter(
      ({
        operation: {
          requestBody,
          tags: [tag],
        },
      }) => requestBody && tag !== 'admin',
    )
    expect(posts).toHaveLength(5)
    for (const { path, operation } of posts.filter((post) => post.path !== '/v1/batches')) {
      const { example } = operation.requestBody!.content['application/json']!
      const response = await fetch(post(example, { path }))
      expect([path, response.status]).toEqual([path, 200])
      const { schema } = operation.responses['200']!.content!['application/json']!
      expect([path, faultsOf({ schema, example: await json(response) })]).toEqual([path, null])
    }
  })
})

it('has an example of a batch that is answered by what its results look like', async () => {
  const { fetch } = createServer({ engine: createStubEngine().engine })
  const { example } = operations.find(({ path }) => path === '/v1/batches')!.operation.requestBody!.content[
    'application/jsonl'
  ]!
  const headers = { 'content-type': 'application/jsonl' }
  const batch = await json(fetch(post(example, { path: '/v1/batches', headers })))
  const path = `/v1/batches/${String(batch['id'])}/results`
  await expect.poll(async () => (await fetch(get(path))).status).toBe(200)
  const { schema } = operations.find((each) => each.path === '/v1/batches/{id}/results')!.operation.responses['200']!
    .content!['application/jsonl']!
  expect(faultsOf({ schema, example: JSON.parse(await (await fetch(get(path))).text()) })).toBeNull()
})

it('has a tag for every operation, and the statuses that the service gives', () => {
  const names = tags.map(({ name }) => name)
  expect(operations.flatMap(({ operation }) => operation.tags).filter((tag) => !names.includes(tag))).toEqual([])
  const statusesOf = (wanted: string) =>
    Object.keys(operations.find(({ path }) => path === wanted)!.operation.responses)
  const all = [200, 202, 400, 401, 402, 403, 404, 405, 408, 409, 413, 415, 421, 422, 429, 431, 500, 503, 507, 529]
  expect(statusesOf('/v1/systemone')).toEqual(all.map(String))
  const withKeys = operations.filter(({ operation }) => '401' in operation.responses)
  expect(withKeys.filter(({ operation }) => !('503' in operation.responses))).toEqual([])
  expect(statusesOf('/livez')).toEqual(['200', '400', '405', '431', '500'])
})

it.each(Object.keys(mounts))('names its server so that paths below it are answered: %s', async (name) => {
  const { url, prefix, close } = await mounts[name]!(createServer({ engine: createStubEngine().engine, keys: ['k'] }))
  const address = `${url}${prefix}/openapi.json`
  const { servers } = (await (await fetch(address)).json()) as ReturnType<typeof createOpenApiDocument>
  // Clients drop the slash at the end of a server before they add a path.
  const base = new URL(servers[0]!.url, address).href.replace(/\/$/, '')
  expect((await fetch(`${base}/v1/models`, { headers: { authorization: 'Bearer k' } })).status).toBe(200)
  await close()
})
