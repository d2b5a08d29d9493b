import { afterEach, expect, it, vi } from 'vitest'
import type { Backend } from '../backends/backend.ts'
import type { BackendChoice } from '../backends/create-backend.ts'
import { connectInline } from '../engine/pool/inline-connection.ts'
import { startEngine } from '../engine/start-engine.ts'
import { resolveWebOptions } from './resolve-web-options.ts'
import { stubSite } from './test-support/fake-site.ts'
import { createWebTaskSource } from './web-task-source.ts'

const SITE = 'https://app.example'
const BACKEND = { name: 'wasm', dispose: async () => {} } as unknown as Backend
const CHOICE: BackendChoice = {
  backend: BACKEND,
  chosen: 'wasm',
  reason: '',
  threads: 1,
  runtime: '',
  runtimeTelemetry: 'off',
  tried: [],
}
const REQUEST = { state: 'It is ten.', questions: { late: { type: 'noul', instructions: 'Is it late?' } } } as const
afterEach(() => void vi.unstubAllGlobals())

it('is given up with the call that it was for, and the next call asks again', async () => {
  const site = stubSite()
  const load = fetch
  let held = 0
  vi.stubGlobal('fetch', (url: string, init: RequestInit = {}) => {
    if (held++ > 0) return load(url, init)
    const { signal } = init
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  })
  const options = resolveWebOptions({ runtimeUrl: '/ort', models: { 'decide-latest': '/mine' } }, SITE)
  const source = createWebTaskSource(options.settings)
  const connect = connectInline(
    () => source,
    async () => CHOICE,
  )
  const engine = await startEngine(options, connect, source)
  const call = new AbortController()
  const asked = engine.decide(REQUEST, { signal: call.signal })
  await vi.waitFor(() => expect(held).toBe(1), { timeout: 60_000 })
  call.abort()
  await expect(asked).rejects.toMatchObject({ code: 'aborted' })
  await expect(engine.decide(REQUEST)).rejects.toMatchObject({ code: 'model_not_found' })
  expect(site.requests).toContain(`GET ${SITE}/mine/model_index.json`)
  await engine.dispose()
})
