import { expect, it } from 'vitest'
import { createServer } from '../server.ts'
import { createStubEngine } from '../test-support/stub-engine.ts'

const BODY = JSON.stringify({ state: 'a', questions: { q: { type: 'noul', instructions: 'is it?' } } })

/** Whose state an engine may keep of a request, or false. */
async function askWith(keys: { readonly key: string; readonly id: string }[] | undefined) {
  const { engine } = createStubEngine()
  const seen: unknown[] = []
  const decide: typeof engine.decide = (body, options) => {
    seen.push(options?.keepState === false ? false : options?.client)
    return engine.decide(body, options)
  }
  const server = createServer({ engine: { ...engine, decide }, ...(keys && { keys }) })
  const headers = { 'content-type': 'application/json', authorization: 'Bearer a-long-secret' }
  const url = 'http://localhost/v1/systemone'
  const response = await server.fetch(new Request(url, { method: 'POST', headers, body: BODY }))
  expect(response.status).toBe(200)
  await server.close()
  return seen
}

it('a state may be kept for the account of its key, and for nobody where there are none', async () => {
  expect(await askWith(undefined)).toEqual([false])
  expect(await askWith([{ key: 'a-long-secret', id: 'ana' }])).toEqual(['ana'])
  expect(await askWith([{ key: 'a-long-secret', id: 'anyone' }])).toEqual(['anyone'])
})
