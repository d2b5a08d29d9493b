import { experimental_decide as decide, generateImage } from 'ai'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTessera, type TesseraProviderSettings } from '../../src/ai-sdk/index.ts'
import { toNodeListener } from '../../src/http/adapters/node.ts'
import { createServer, type Server } from '../../src/http/index.ts'
import { listen, type Listening } from '../../src/http/test-support/listen.ts'
import { createStubEngine } from '../../src/http/test-support/stub-engine.ts'

const questions = { urgent: { type: 'boolean', instructions: 'Is it urgent?' } } as const
const inBackground = { tessera: { background: true } }

describe('headers of a call', () => {
  let server: Server
  let listening: Listening
  const requests: Request[] = []
  beforeEach(async () => {
    globalThis.AI_SDK_LOG_WARNINGS = false
    server = createServer({ engine: createStubEngine().engine, keys: ['k'] })
    const fetch = (request: Request) => (requests.push(request), server.fetch(request))
    listening = await listen(toNodeListener({ fetch }))
  })
  afterEach(async () => {
    requests.splice(0)
    await listening.close()
    await server.close()
  })

  const open = (settings: TesseraProviderSettings = {}) =>
    createTessera({ baseURL: listening.url, apiKey: 'k', ...settings })
  const sent = (name: string) => requests.map(({ headers }) => headers.get(name))

  it.each([{}, inBackground])('reach the service with every request of it, with %j', async (providerOptions) => {
    const headers = { 'X-Tenant': 'acme' }
    const tessera = open()
    await decide({ model: tessera.decisionModel('x'), state: 'x', questions, headers, providerOptions })
    await generateImage({ model: tessera.image('x'), prompt: 'x', headers, providerOptions })
    await generateImage({ model: tessera.image('x'), prompt: { text: 'x', images: [PNG] }, headers, providerOptions })
    expect(requests.length).toBeGreaterThanOrEqual(3)
    expect(sent('x-tenant')).toEqual(requests.map(() => 'acme'))
  })

  it('stand before those of the provider, and behind what it says itself', async () => {
    const tessera = open({ headers: { 'x-tenant': 'all', 'x-region': 'eu' } })
    const own = { Authorization: 'Bearer other', 'Content-Type': 'text/plain' }
    const headers = { 'X-TENANT': 'acme', 'x-region': undefined, ...own }
    const none = { size: undefined, aspectRatio: undefined, seed: undefined, files: undefined, mask: undefined }
    await tessera.image('x').doGenerate({ prompt: 'x', n: 1, ...none, providerOptions: {}, headers })
    const names = ['x-tenant', 'x-region', 'authorization', 'content-type']
    expect(names.map(sent)).toEqual([['acme'], ['eu'], ['Bearer k'], ['application/json']])
  })

  it('may have the key where the provider has none', async () => {
    const headers = { authorization: 'Bearer k' }
    await decide({ model: open({ apiKey: undefined }).decisionModel('x'), state: 'x', questions, headers })
    expect(sent('authorization')).toEqual(['Bearer k'])
  })

  it('ask for no job, whose answer is no decision', async () => {
    const headers = { prefer: 'respond-async' }
    const { answers } = await decide({ model: open().decisionModel('x'), state: 'x', questions, headers })
    expect(Object.keys(answers)).toEqual(['urgent'])
  })

  it('give each request of a call a key of its own', async () => {
    const draw = (providerOptions = {}) =>
      generateImage({
        model: open().image('x'),
        prompt: 'x',
        n: 9,
        headers: { 'Idempotency-Key': 'mine' },
        providerOptions,
      })
    expect((await draw()).images).toHaveLength(9)
    expect(sent('idempotency-key')).toEqual(['mine', 'mine-4', 'mine-8'])
    requests.splice(0)
    await draw(inBackground)
    const starts = requests
      .filter(({ method }) => method === 'POST')
      .map(({ headers }) => headers.get('idempotency-key'))
    expect([starts.length, new Set(starts).size, starts.includes('mine')]).toEqual([3, 3, false])
  })

  it('are refused where HTTP allows none such, without what they say', async () => {
    const headers = { 'x-tenant': 'SECRET\nx: y' }
    const refusal = { code: 'invalid_request', path: 'headers', message: expect.not.stringContaining('SECRET') }
    expect(() => open({ headers })).toThrow(expect.objectContaining(refusal))
    // The AI SDK refuses them itself.
    const asked = open()
      .decisionModel('x')
      .doDecide({ state: [{ type: 'text', text: 'x' }], questions, headers })
    await expect(asked).rejects.toMatchObject(refusal)
    expect(requests).toEqual([])
  })

  it('are nothing to an engine in this process', async () => {
    const { engine } = createStubEngine()
    const headers = { 'x-tenant': 'acme' }
    const model = createTessera({ engine }).decisionModel('x')
    expect(Object.keys((await decide({ model, state: 'x', questions, headers })).answers)).toEqual(['urgent'])
    expect(() => createTessera({ engine, headers })).toThrow('headers: are for a service: give its baseURL')
  })
})

/** One pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
