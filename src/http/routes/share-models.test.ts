import { expect, it, vi } from 'vitest'
import { createServer } from '../index.ts'
import { get } from '../test-support/requests.ts'
import { createStubEngine } from '../test-support/stub-engine.ts'
import { shareModels } from './share-models.ts'

it('models are looked up once for all who ask in a second, and again after that or a failure', async () => {
  vi.useFakeTimers()
  try {
    const models = vi.fn<() => Promise<[]>>(async () => [])
    const shared = shareModels({ models })
    await Promise.all([shared.models(), shared.models()])
    vi.advanceTimersByTime(900)
    await shared.models()
    expect(models).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(200)
    models.mockRejectedValueOnce(new Error('away'))
    await expect(Promise.all([shared.models(), shared.models()])).rejects.toThrow('away')
    expect(models).toHaveBeenCalledTimes(2)
    await shared.models()
    expect(models).toHaveBeenCalledTimes(3)
    vi.advanceTimersByTime(2000)
    models.mockImplementationOnce(() => {
      throw new Error('at once')
    })
    await expect(shared.models()).rejects.toThrow('at once')
    expect(await shared.models()).toEqual([])
  } finally {
    vi.useRealTimers()
  }
})

it('whoever asks whether the service is ready has nobody else wait', async () => {
  const { engine } = createStubEngine()
  const models = vi.spyOn(engine, 'models')
  const server = createServer({ engine })
  const asked = Array.from({ length: 50 }, () => server.fetch(get('/readyz')))
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(asked.map(() => 200))
  expect(models).toHaveBeenCalledTimes(1)
})
