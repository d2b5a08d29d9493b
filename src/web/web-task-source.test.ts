import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, it, vi } from 'vitest'
import type { Backend } from '../backends/backend.ts'
import { withoutSessions } from '../backends/without-sessions.ts'
import { connectInline } from '../engine/pool/inline-connection.ts'
import { startEngine } from '../engine/start-engine.ts'
import type { Progress } from '../jobs/job-context.ts'
import { download } from './download.ts'
import { resolveWebOptions } from './resolve-web-options.ts'
import { inParts, page, refusal, stubSite } from './test-support/fake-site.ts'
import { createWebTaskSource } from './web-task-source.ts'
import { WeightStore } from './weight-store.ts'

const SITE = 'https://app.example'
const DECIDE_MINI = fileURLToPath(new URL('../../models/decide-mini', import.meta.url))
const options = resolveWebOptions(
  {
    runtimeUrl: '/ort',
    models: { 'decide-latest': '/mine', 'beta-klein-4b': '/pictures', 'alpha-image-turbo': '/away' },
  },
  SITE,
)
const source = createWebTaskSource(options.settings)
const BACKEND = {
  name: 'wasm',
  attention: 'fused',
  precision: 'float32',
  dispose: async () => {},
} as unknown as Backend
afterEach(() => void vi.unstubAllGlobals())

async function startInline(resolved = options) {
  const own = resolved === options ? source : createWebTaskSource(resolved.settings)
  const described = { runtime: '', runtimeTelemetry: 'off' } as const
  const choice = { backend: BACKEND, chosen: 'wasm', reason: '', threads: 1, ...described, tried: [] } as const
  const connect = connectInline(
    () => own,
    async () => choice,
  )
  return startEngine(resolved, connect, own)
}

it.each(['constructor', 'toString', '__proto__'])(
  'serves the name %s as any other that it does not list',
  async (name) => {
    expect(source.nameOf(name, 'decide-latest')).toBe('decide-latest')
    await expect(source.resolve(name)).rejects.toMatchObject({ code: 'model_not_found', model: name })
  },
)

it('an engine without the default model names the model that was asked for', async () => {
  const engine = await startInline(resolveWebOptions({ runtimeUrl: '/ort', models: { 'my-judge': '/judge' } }, SITE))
  const questions = { late: { type: 'noul', instructions: 'Is it late?' } } as const
  for (const model of ['my-jugde', 'toString']) {
    const asked = engine.decide({ model, state: 'It is ten.', questions })
    await expect(asked).rejects.toMatchObject({ code: 'model_not_found', model })
  }
  const unnamed = engine.decide({ state: 'It is ten.', questions })
  const message = expect.stringMatching(
    /`modelsUrl` and `models`.*\. Call: createEngine\(\{ modelsUrl: .*'decide-latest'/,
  )
  await expect(unnamed).rejects.toMatchObject({ code: 'model_not_found', model: 'decide-latest', message })
  await engine.dispose()
})

it.each([
  ['404', refusal(404)],
  ['403', refusal(403)],
  ['a page', page()],
])('has no model where the server answers %s for its configuration', async (_, answer) => {
  const tried = ['model_index', 'config', 'rl_agent_config'].map((name) => `${SITE}/mine/${name}.json`)
  stubSite(Object.fromEntries(tried.map((url) => [url, answer])))
  const description = source.describe({ id: 'mine', folder: `${SITE}/mine` })
  const message = expect.stringMatching(/\. Call: createEngine\(\{ modelsUrl: /)
  await expect(description).rejects.toMatchObject({ code: 'model_not_found', model: 'mine', tried, message })
})

it('loads each text once while it describes a model', async () => {
  const site = stubSite({ [`${SITE}/mine/config.json`]: '{}', [`${SITE}/mine/model.safetensors`]: 'weights' })
  await source.describe({ id: 'mine', folder: `${SITE}/mine` })
  const texts = site.requests.filter((request) => request.endsWith('.json'))
  expect(texts).toEqual([...new Set(texts)])
  expect(texts).toContain(`GET ${SITE}/mine/config.json`)
})

it('gives up every request, of files and of their sizes, with the call that needs them', async () => {
  stubSite({ [`${SITE}/mine/config.json`]: '{}' })
  const asked = vi.spyOn(globalThis, 'fetch')
  const call = new AbortController()
  const model = { id: 'mine', folder: `${SITE}/mine` }
  await expect(source.open(model, BACKEND, { signal: call.signal, onProgress: () => {} })).rejects.toThrow()
  expect(asked.mock.calls).toContainEqual([
    `${SITE}/mine/model.safetensors`,
    expect.objectContaining({ method: 'HEAD' }),
  ])
  expect(asked.mock.calls.filter(([, init]) => !init?.signal?.aborted)).toEqual([])
})

it('weighs a model whose server does not answer HEAD', async () => {
  stubSite({
    [`${SITE}/mine/config.json`]: '{}',
    [`${SITE}/mine/model.safetensors`]: (method) => refusal(method === 'HEAD' ? 405 : 200),
  })
  expect(await source.describe({ id: 'mine', folder: `${SITE}/mine` })).toMatchObject({ kind: 'decisions', bytes: 0 })
})

it.each([
  ['one file', { 'model.safetensors': 'weights' }, 7],
  ['shards', { 'model.safetensors.index.json': '{"metadata":{"total_size":9}}' }, 9],
  ['one file of the second name', { 'diffusion_pytorch_model.safetensors': 'weights!' }, 8],
])('weighs a kept model of %s while its server cannot be reached', async (_, files, bytes) => {
  const model = { id: 'mine', folder: `${SITE}/mine` }
  stubSite(
    Object.fromEntries(
      Object.entries({ 'config.json': '{}', ...files }).map(([name, text]) => [`${SITE}/mine/${name}`, text]),
    ),
  )
  expect(await source.describe(model)).toMatchObject({ bytes })
  for (const name of Object.keys(files)) await download(`${SITE}/mine/${name}`)
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed')))
  expect(await source.describe(model)).toMatchObject({ bytes })
})

it('lists every model, whatever is wrong with one of them', async () => {
  stubSite({
    [`${SITE}/mine/config.json`]: '{}',
    [`${SITE}/mine/model.safetensors`]: 'weights',
    [`${SITE}/pictures/model_index.json`]: refusal(500),
    [`${SITE}/away/model_index.json`]: undefined,
  })
  const engine = await startInline()
  try {
    expect(await engine.models()).toEqual([
      { name: 'decide-latest', id: 'mine', available: true, kind: 'decisions', bytes: 7, identity: expect.anything() },
      { name: 'beta-klein-4b', available: false, reason: expect.stringContaining('the server answered 500') },
      { name: 'alpha-image-turbo', available: false, reason: expect.stringContaining('the request failed') },
    ])
  } finally {
    await engine.dispose()
  }
})

/** The embedded model at `/mine`, on a server that sends parts of its weights. */
async function serveMini() {
  const load = async (name: string) => new Uint8Array(await readFile(`${DECIDE_MINI}/${name}`))
  const texts = await Promise.all(
    ['config.json', 'tessera.json', 'tokenizer.json'].map(async (name) => {
      const text = await load(name)
      return [`${SITE}/mine/${name}`, () => new Response(text)] as const
    }),
  )
  const weights = await load('model.safetensors')
  const url = `${SITE}/mine/model.safetensors`
  return { site: stubSite({ ...Object.fromEntries(texts), [url]: inParts(weights) }), url, weights }
}

it('loads the header of the weights alone to count tokens, and tells of whole files where the server sends no parts', async () => {
  const { site, url, weights } = await serveMini()
  async function count() {
    const done: number[] = []
    await using engine = await startInline()
    const questions = { late: { type: 'noul', instructions: 'Is it late?' } } as const
    const counted = await engine.countTokens({ state: 'ok', questions }, { onProgress: (told) => done.push(told.done) })
    return { tokens: counted.input_tokens, done: done.at(-1), isKept: site.kept(url) === 200 }
  }
  const inHeader = await count()
  expect(inHeader).toMatchObject({ tokens: expect.any(Number), done: undefined, isKept: false })
  const header = new DataView(weights.buffer).getUint32(0, true)
  const asked = site.requests.filter((request) => request.startsWith(`GET ${url}`))
  expect(new Set(asked)).toEqual(new Set([`GET ${url} bytes=0-7`, `GET ${url} bytes=8-${7 + header}`]))
  site.answers[url] = () => new Response(weights)
  const whole = { tokens: inHeader.tokens, done: weights.length, isKept: true }
  expect(await count()).toEqual(whole)
})

it('asks once for the size of a model that it opens, and for each text that is not there', async () => {
  const { site, url } = await serveMini()
  await using engine = await startInline()
  await expect(engine.load('decide-latest')).rejects.toThrow()
  const asked = site.requests.map((request) => request.split(' '))
  expect(asked).toContainEqual(['GET', url])
  expect(asked.filter(([method, file]) => method === 'HEAD' && file === url)).toHaveLength(1)
  const missing = asked.filter(([, file]) => !Object.hasOwn(site.answers, file!))
  expect(missing).toEqual([['GET', `${SITE}/mine/model_index.json`]])
})

it('tells of no download before it knows of any bytes, so that a share of the whole is a number', async () => {
  const { site, url } = await serveMini()
  const whole = site.answers[url] as (method: string) => Response
  site.answers[url] = (method) => (method === 'HEAD' ? new Response(null) : whole(method))
  await using engine = await startInline()
  const shares: number[] = []
  const onProgress = ({ done, total }: Progress) => void shares.push(done / total)
  await expect(engine.load('decide-latest', { onProgress })).rejects.toThrow()
  expect(shares.length).toBeGreaterThan(0)
  expect(shares.filter((share) => !(share > 0 && share <= 1))).toEqual([])
})

it('counts tokens of a model that is being opened, and leaves that what it has downloaded', async () => {
  const { url } = await serveMini()
  const store = new WeightStore()
  const own = createWebTaskSource(options.settings, store)
  const model = { id: 'mine', folder: `${SITE}/mine` }
  const context = { signal: new AbortController().signal, onProgress: () => {} }
  let downloaded: Uint8Array | undefined
  const isHeld = async () => (await store.read(model.folder, 'model.safetensors')) === downloaded
  let heldAfterCount: boolean | undefined
  async function createSession(): Promise<never> {
    downloaded = await store.load(url)
    const counting = { ...context, withoutWeights: true }
    await (await own.open(model, withoutSessions(BACKEND), counting)).dispose()
    heldAfterCount = await isHeld()
    throw new Error('no session is needed here')
  }
  await expect(own.open(model, { ...BACKEND, createSession }, context)).rejects.toThrow('no session is needed here')
  expect([heldAfterCount, await isHeld()]).toEqual([true, false])
})

it('loads a kept file anew once it was found to be cut short, though its server names the same version', async () => {
  const url = `${SITE}/mine/config.json`
  const answer = (text: string) => new Response(text, { headers: { etag: '"1"' } })
  const site = stubSite({ [url]: () => answer('{"a":'), [`${SITE}/mine/model.safetensors`]: 'weights' })
  const description = () => source.describe({ id: 'mine', folder: `${SITE}/mine` })
  await expect(description()).rejects.toMatchObject({ code: 'model_format', file: url })
  site.answers[url] = () => answer('{}')
  expect(await description()).toMatchObject({ kind: 'decisions' })
})

it.each(['model.gguf', 'model.safetensors'])('refuses a URL of one file: %s', async (file) => {
  const { settings } = resolveWebOptions({ runtimeUrl: '/ort', models: { 'decide-latest': `/models/${file}` } }, SITE)
  await expect(createWebTaskSource(settings).resolve('decide-latest')).rejects.toMatchObject({
    code: 'model_format',
    got: 'that of one file, which browsers do not read',
  })
})
