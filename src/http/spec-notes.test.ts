import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { OverloadedError } from '../errors/index.ts'
import { createServer, type KeyConfig } from './index.ts'
import { createOpenApiDocument } from './openapi/document.ts'
import { bearer, BODY, get, IMAGE_BODIES, post } from './test-support/requests.ts'
import { createStubEngine } from './test-support/stub-engine.ts'

const page = readFileSync(new URL('../../docs/spec-notes.md', import.meta.url), 'utf8')
const KEYS: KeyConfig[] = [
  { key: 'k', id: 'k', requestsPerMinute: 5 },
  { key: 'old', expires: '2020-01-01T00:00:00Z' },
]

/** Those of HTTP itself, which no client has to be told of. */
const PLAIN = ['content-type', 'www-authenticate', 'allow']

it('docs/spec-notes.md names every header of the service, and says how old differs from new', async () => {
  const stub = createStubEngine()
  stub.warnings = [{ code: 'unknown_words', path: 'prompt', message: 'x' }]
  const { fetch } = createServer({ engine: stub.engine, keys: KEYS })
  const headers = bearer('k')
  const [path, picture] = IMAGE_BODIES[0]
  const send = async (request: Request) => {
    const response = await fetch(request)
    return { status: response.status, names: [...response.headers.keys()] }
  }
  const answers = [
    await send(post(BODY, { headers })),
    await send(post(picture, { path, headers })),
    await send(post({ ...picture, background: true }, { path, headers })),
    await send(post('{', { headers })),
  ]
  stub.failure = new OverloadedError()
  answers.push(await send(post(BODY, { headers })))
  answers.push(await send(post(BODY, { headers })))
  answers.push(await send(post(BODY, { headers: bearer('old') })))
  answers.push(await send(get('/v1/systemone', { headers })))
  answers.push(await send(get('/nope')))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 202, 422, 529, 429, 401, 405, 404])
  const names = new Set(answers.flatMap((answer) => answer.names).filter((name) => !PLAIN.includes(name)))
  expect(names.size).toBeGreaterThan(8)
  expect([...names].filter((name) => !page.toLowerCase().includes(name))).toEqual([])
})

it('docs/spec-notes.md names every status that the service gives', () => {
  const operations = Object.values(createOpenApiDocument().paths).flatMap((path) => Object.values(path as object))
  const statuses = operations.flatMap((operation) => Object.keys((operation as { responses: object }).responses))
  const unnamed = [...new Set(statuses)].filter((status) => !new RegExp(`\\b${status}\\b`).test(page))
  expect(unnamed).toEqual([])
})
