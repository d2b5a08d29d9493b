import { expect, it } from 'vitest'
import { createServer } from '../server.ts'
import { BODY } from '../test-support/requests.ts'
import { createStubEngine } from '../test-support/stub-engine.ts'

it('what is for callers in the process does not go over the wire', async () => {
  const { engine } = createStubEngine()
  const decide = (async (...call: Parameters<typeof engine.decide>) => ({
    ...(await engine.decide(...call)),
    warnings: [{ code: 'read_in_windows', path: 'state', message: 'x' }],
    symbol_mass: { q: 0.9 },
  })) as typeof engine.decide
  const server = createServer({ engine: { ...engine, decide } })
  const headers = { 'content-type': 'application/json' }
  const asked = { method: 'POST', headers, body: JSON.stringify(BODY) }
  const response = await server.fetch(new Request('http://localhost/v1/systemone', asked))
  expect(response.status).toBe(200)
  expect(Object.keys((await response.json()) as object)).toEqual(['model', 'answers', 'usage', 'latency_ms'])
})
