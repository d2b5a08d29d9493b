import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createServer } from '../index.ts'
import { bearer, get } from '../test-support/requests.ts'
import { createStubEngine } from '../test-support/stub-engine.ts'
import { createMemoryStore } from '../usage/memory-store.ts'

it('docs/operations.md lists every metric, and none that is not there', async () => {
  const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8')
  const rows = page.split('\n').filter((line) => /^\| `(tessera|process|nodejs)_/.test(line))
  const listed = rows.flatMap((row) => row.split('|')[1]!.match(/[a-z_]+/g)!)
  const { fetch } = createServer({ engine: createStubEngine().engine })
  const text = await (await fetch(get('/metrics'))).text()
  expect([...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name).sort()).toEqual(listed.sort())
})

it('faults of the store and what is refused are counted', async () => {
  const store = { ...createMemoryStore(), update: () => Promise.reject(new Error('away')) }
  const { fetch } = createServer({
    engine: createStubEngine().engine,
    store,
    keys: [{ key: 'k', prepaid: '1', scopes: ['images', 'metrics'] }],
  })
  const body = { method: 'POST', headers: { ...bearer('k'), 'content-type': 'application/json' } }
  await fetch(get('/v1/images/generations', { ...body, body: '{"prompt":"a"}' }))
  await fetch(get('/v1/images/generations', { ...body, body: '{}' }))
  const text = await (await fetch(get('/metrics', { headers: bearer('k') }))).text()
  expect(text).toContain('tessera_http_refusals_total{reason="store_unavailable"} 1\n')
  expect(text).toContain('tessera_http_refusals_total{reason="invalid_request"} 1\n')
  expect(text).toContain('tessera_store_errors_total{operation="update"} 1\n')
  expect(text).toMatch(/tessera_store_duration_seconds_count\{operation="update"\} [1-9]/)
  expect(text).toMatch(/process_resident_memory_bytes \d{7,}\n/)
  expect(text).toContain('tessera_charges_waiting 0\n')
})

it('keys that are older than their source are shown', async () => {
  const keys = { find: () => ({ id: 'a', scopes: ['metrics'] as const }), isStale: false }
  const { fetch } = createServer({ engine: createStubEngine().engine, keys })
  const text = async () => (await fetch(get('/metrics', { headers: bearer('k') }))).text()
  expect(await text()).toContain('tessera_keys_stale 0\n')
  keys.isStale = true
  expect(await text()).toContain('tessera_keys_stale 1\n')
})
