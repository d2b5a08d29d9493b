import { describe, expect, it } from 'vitest'
import { createMemoryStore, type KeyConfig } from '../src/http/index.ts'
import { startTinyServer, type TinyServer } from './helpers/tiny-server.ts'

const CLIENTS = 64
const QUESTIONS = { q: { type: 'noul', instructions: 'Is it urgent?' } }
const keysOf = (settings: Omit<KeyConfig, 'key' | 'id'>) =>
  ['a', 'b', 'c', 'd'].map((key) => ({ key, id: key, ...settings }))

let tiny: TinyServer

/** One request after another; resolves to the tokens of its answers. */
async function runClient(index: number, requests: number, hangsUp: boolean): Promise<number> {
  let tokens = 0
  for (let request = 0; request < requests; request++) {
    const response = await fetch(`${tiny.url}/v1/systemone`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${'abcd'[index % 4]}` },
      body: JSON.stringify({ state: `client ${index} `.repeat(1 + (index % 7)), questions: QUESTIONS }),
      ...(hangsUp && { signal: AbortSignal.timeout(1 + ((index * 7 + request * 3) % 30)) }),
    }).catch(() => undefined)
    const text = await response?.text().catch(() => undefined)
    if (response === undefined || text === undefined) continue
    expect([200, 402, 429, 529]).toContain(response.status)
    if (response.status === 200) tokens += (JSON.parse(text) as { usage: { input_tokens: number } }).usage.input_tokens
  }
  return tokens
}

async function runClients(requests: number, hangsUp: (index: number) => boolean): Promise<number> {
  const tokens = await Promise.all(
    Array.from({ length: CLIENTS }, (_, index) => runClient(index, requests, hangsUp(index))),
  )
  return tokens.reduce((sum, count) => sum + count, 0)
}

async function usedTokens(): Promise<number> {
  const rows = await Promise.all(['a', 'b', 'c', 'd'].map((id) => tiny.server.usage(id)))
  return rows.flat().reduce((sum, { units }) => sum + units, 0)
}

describe('64 clients at once', () => {
  it('are answered or refused, and the ledger is what was answered, within what each key has', async () => {
    tiny = await startTinyServer({ keys: keysOf({ freeTokens: 2000, prepaid: '0.0001' }), limits: { concurrency: 16 } })
    const answered = await runClients(6, () => false)
    expect(answered).toBeGreaterThan(0)
    expect(await usedTokens()).toBe(answered)
    for (const id of 'abcd') {
      const [row] = await tiny.server.usage(id)
      // 0.0001 EUR pay for 2,564 tokens.
      expect(row!.units).toBeLessThanOrEqual(2000 + 2564)
      expect(Number(row!.cost)).toBeLessThanOrEqual(0.0001)
    }
  })

  it('of which half hang up leave nothing running and nothing reserved', async () => {
    const store = createMemoryStore()
    tiny = await startTinyServer({
      keys: [...keysOf({ freeTokens: 1_000_000 }), { key: 'operator', scopes: ['metrics'] }],
      store,
    })
    const answered = await runClients(4, (index) => index % 8 < 4)
    const headers = { authorization: 'Bearer operator' }
    const metrics = async () => (await fetch(`${tiny.url}/metrics`, { headers })).text()
    await expect.poll(metrics, { timeout: 120_000 }).toContain('tessera_http_requests_in_flight 1\n')
    // An answer may be on its way when its client hangs up, which nobody can take back: that one counts as answered.
    expect(await usedTokens()).toBeGreaterThanOrEqual(answered)
    expect(await runClient(0, 1, false)).toBeGreaterThan(0)
    // What goes on for a client that may come back is given back at the latest with the end.
    await tiny.server.close()
    for (const id of 'abcd')
      expect(JSON.parse((await store.read(`account:${id}`)).document!)).toMatchObject({ holds: [] })
  })
})
