import { APICallError } from '@ai-sdk/provider'
import { afterEach, expect, it, vi } from 'vitest'
import { createServiceCallee } from './model-calls.ts'
import { openService } from './service.ts'

const { calls, background } = createServiceCallee(openService({ baseURL: 'http://127.0.0.1:1' }))

afterEach(() => vi.unstubAllGlobals())

/** What `fetch` of Node throws for what its client noticed. */
function failToFetch(code: string) {
  const failure = new TypeError('fetch failed', { cause: Object.assign(new Error('no answer'), { code }) })
  const fetched = vi.fn<typeof fetch>().mockRejectedValueOnce(failure)
  vi.stubGlobal('fetch', fetched)
  return fetched
}

async function errorOf(work: Promise<unknown>): Promise<APICallError> {
  const error = await work.catch((thrown: unknown) => thrown)
  if (!APICallError.isInstance(error)) throw new Error('must be an error of a call', { cause: error })
  return error
}

it('says that a call which takes longer than fetch waits can be a job, and is not to be begun again', async () => {
  failToFetch('UND_ERR_HEADERS_TIMEOUT')
  const { message, isRetryable } = await errorOf(calls().generateImage({ model: 'x', prompt: 'x' }, {}))
  expect(message).toContain('set providerOptions.tessera.background')
  expect(isRetryable).toBe(false)
})

it('says that a service cannot be reached, which may pass', async () => {
  failToFetch('ECONNREFUSED')
  const { message, isRetryable } = await errorOf(calls().generateImage({ model: 'x', prompt: 'x' }, {}))
  expect(message).toContain('see whether it runs at baseURL')
  expect(isRetryable).toBe(true)
})

it('starts a job again whose start had no answer for so long', async () => {
  const fetched = failToFetch('UND_ERR_HEADERS_TIMEOUT')
  const job = { id: 'j', status: 'succeeded', result: { data: [] } }
  fetched.mockResolvedValueOnce(Response.json(job, { status: 202 }))
  expect(await background!().generateImage({ model: 'x', prompt: 'x' }, {})).toEqual({ data: [] })
  expect(fetched).toHaveBeenCalledTimes(2)
})
