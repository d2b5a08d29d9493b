import { describe, expect, it } from 'vitest'
import { createServer, type RequestLog } from '../src/http/index.ts'
import { createKeyStore } from '../src/http/keys/static-keys.ts'
import { bearer, get, post } from '../src/http/test-support/requests.ts'
import { createStubEngine } from '../src/http/test-support/stub-engine.ts'
import { captureOutput } from './helpers/capture-output.ts'
import { startTinyServer } from './helpers/tiny-server.ts'

const CANARY = 'CANARY-7f3a'

const entries: RequestLog[] = []
const written = captureOutput()
const tiny = await startTinyServer({
  keys: [{ key: `right-${CANARY}`, id: 'me', freeTokens: 5000, scopes: ['decide', 'images', 'metrics'] }],
  log: (entry) => entries.push(entry),
})

describe('what a request says', () => {
  it('is in no log, metric, error or account, whatever becomes of it', async () => {
    const headers = {
      ...bearer(`right-${CANARY}`),
      'content-type': 'application/json',
      'user-agent': CANARY,
      'x-request-id': CANARY,
    }
    const noul = { type: 'noul', instructions: CANARY }
    const good = { state: CANARY, questions: { [CANARY]: noul } }
    const bodies: [string, string][] = [
      ['/v1/systemone', JSON.stringify(good)],
      [
        '/v1/systemone',
        JSON.stringify({
          state: { [CANARY]: Number.MAX_VALUE, deep: [CANARY] },
          questions: { q: { ...noul, criteria: CANARY } },
        }),
      ],
      [
        '/v1/systemone',
        `{"state":{"${CANARY}":[{"${CANARY}":1e999}]},"questions":{"q":{"type":"noul","instructions":{"${CANARY}":1e999}}}}`,
      ],
      ['/v1/systemone', `{"state":"x","questions":{"q":{"type":"noul","instructions":{"${CANARY}":"\\ud800"}}}}`],
      ['/v1/systemone', JSON.stringify({ ...good, questions: { q: { type: CANARY } } })],
      ['/v1/systemone', JSON.stringify({ ...good, min_confidence: CANARY })],
      ['/v1/systemone', JSON.stringify({ ...good, model: `${CANARY}/nothing` })],
      ['/v1/systemone', `{"state":"${CANARY}`],
      ['/v1/systemone', `{"state":"${CANARY}\\ud800","questions":{}}`],
      ['/v1/systemone', JSON.stringify({ state: CANARY.repeat(600), questions: { q: noul } })],
      ['/v1/decisions', JSON.stringify({ input: CANARY, questions: [{ ...noul, type: 'predicate' }] })],
      ['/v1/decisions', JSON.stringify({ input: [{ role: CANARY, content: CANARY }], questions: [{ type: CANARY }] })],
      [
        '/v1/decisions',
        JSON.stringify({
          input: CANARY,
          questions: [{ type: 'choice', instructions: 5, choices: [{ value: CANARY }] }],
        }),
      ],
      [`/v1/${CANARY}?${CANARY}`, JSON.stringify(good)],
    ]
    const errors: string[] = []
    for (const [path, body] of bodies) {
      const response = await fetch(tiny.url + path, { method: 'POST', headers, body })
      const text = await response.text()
      const shown = JSON.stringify([...response.headers])
      if (response.status !== 200) errors.push(text)
      errors.push(shown)
    }
    expect(entries.map(({ status }) => status)).toEqual([
      200, 422, 422, 422, 422, 422, 404, 422, 422, 402, 200, 422, 422, 404,
    ])
    const metrics = await (await fetch(`${tiny.url}/metrics`, { headers })).text()
    const account = JSON.stringify(await tiny.server.usage('me'))
    for (const text of [...errors, ...written, metrics, account, JSON.stringify(entries)])
      expect(text).not.toContain(CANARY)
  })

  it('may name a question as it likes, except that a path in an error shows that name', async () => {
    const body = JSON.stringify({ state: 'x', questions: { [CANARY]: { type: 'x' } } })
    const headers = { ...bearer(`right-${CANARY}`), 'content-type': 'application/json' }
    const response = await fetch(`${tiny.url}/v1/systemone`, { method: 'POST', headers, body })
    expect(((await response.json()) as { message: string }).message).toMatch(
      new RegExp(`^questions\\.${CANARY}\\.type: `),
    )
  })
})

describe("names of JavaScript's own", () => {
  const { fetch } = createServer({ engine: createStubEngine().engine })

  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'])(
    'like %s change nothing',
    async (name) => {
      const plain = JSON.stringify(Object.getOwnPropertyNames(Object.prototype))
      const body =
        `{"${name}":{"polluted":1},"state":{"${name}":{"polluted":1}},` +
        `"questions":{"${name}":{"type":"noul","instructions":"x"},` +
        `"q":{"type":"choice","criteria":{"${name}":null,"b":null},"${name}":{"type":"noul"}}}}`
      const text = await (await fetch(post(body))).text()
      expect(text).toContain(`"${name}":{"type":"noul","noul":0.5}`)
      expect(text).toContain(`"${name}":0.5`)
      expect(({} as { polluted?: number }).polluted).toBeUndefined()
      expect(JSON.stringify(Object.getOwnPropertyNames(Object.prototype))).toBe(plain)
    },
  )

  it('are no routes, keys or accounts', async () => {
    const keyed = createServer({ engine: createStubEngine().engine, keys: ['k'] })
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect((await fetch(get(`/${name}`))).status).toBe(404)
      expect((await keyed.fetch(get('/v1/models', { headers: bearer(name) }))).status).toBe(401)
      expect(await keyed.usage(name)).toEqual([])
    }
  })
})

describe('a key', () => {
  it('is looked for by its digest alone, among many as soon as among few', async () => {
    const measure = async (count: number) => {
      const store = createKeyStore(Array.from({ length: count }, (_, index) => `key-${index}`))
      expect([await store.find('key-1'), await store.find('key-x')]).toEqual([{ id: expect.any(String) }, undefined])
      const began = performance.now()
      for (let index = 0; index < 500; index++) await store.find(`wrong-${index}`)
      return performance.now() - began
    }
    await measure(2)
    const few = await measure(2)
    // One after the other, 20,000 digests took a thousand times as long.
    expect(await measure(20_000)).toBeLessThan(20 * few + 2000)
  })
})
