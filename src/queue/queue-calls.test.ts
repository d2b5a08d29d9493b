import { afterEach, expect, it, vi } from 'vitest'
import { BODY } from '../http/test-support/requests.ts'
import { createQueueEngine } from './index.ts'

// Nothing listens there: what is refused is refused before a server is asked.
const engine = createQueueEngine({ connection: 'redis://127.0.0.1:1', plaintext: true })
afterEach(() => vi.restoreAllMocks())

it.each([[[{ path: './ink.safetensors' }]], ['nonsense']])(
  'lora %j is refused: files are where the workers are',
  async (lora) => {
    const options = { lora } as object
    const refused = { code: 'invalid_request', path: 'lora' }
    await expect(engine.decide(BODY, options)).rejects.toMatchObject(refused)
    await expect(engine.countTokens(BODY, options)).rejects.toMatchObject(refused)
    await expect(engine.generateImage({ prompt: 'a fox' }, options)).rejects.toMatchObject(refused)
  },
)

it('many calls listen to one signal by one listener, as Node warns of more than ten', async () => {
  const { signal } = new AbortController()
  const listen = vi.spyOn(signal, 'addEventListener')
  const calls = Array.from({ length: 12 }, () => engine.decide(BODY, { signal }))
  await Promise.allSettled(calls)
  expect(listen.mock.calls.filter(([type]) => type === 'abort')).toHaveLength(1)
})

it('options of a call are read where it is made', async () => {
  const options = {}
  const call = engine.decide(BODY, options)
  const get = () => expect.fail('it was read later')
  Object.defineProperty(options, 'onProgress', { get })
  await expect(call).rejects.toMatchObject({ code: 'overloaded' })
})
