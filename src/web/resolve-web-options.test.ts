import { describe, expect, it } from 'vitest'
import { resolveWebOptions } from './resolve-web-options.ts'

const BASE = 'https://app.example/shop/cart'

describe('options of a browser', () => {
  it('become absolute URLs with defaults', () => {
    expect(resolveWebOptions({ runtimeUrl: 'ort', modelsUrl: '/models/' }, BASE)).toEqual({
      settings: {
        backend: 'auto',
        runtimeUrl: 'https://app.example/shop/ort/',
        models: {
          'decide-latest': 'https://app.example/models/decide-mini',
          'alpha-image-turbo': 'https://app.example/models/image-mini',
          'beta-klein-4b': 'https://app.example/models/image-mini',
        },
        symbols: { bothOrders: false, symbolMass: false },
        keepAlive: 300_000,
        memoryBudget: 1e9,
      },
      worker: true,
      workers: 1,
      maxConcurrent: 4,
      maxQueue: undefined,
      maxOptions: 26,
      preload: [],
    })
  })

  it('name models from elsewhere, instead of the embedded ones or beside them', () => {
    const models = { 'decide-latest': 'https://cdn.example/mine/', other: '../other' }
    const { settings } = resolveWebOptions({ runtimeUrl: '/ort', modelsUrl: '/models', models, threads: 2 }, BASE)
    expect(settings.models).toMatchObject({
      'decide-latest': 'https://cdn.example/mine',
      other: 'https://app.example/other',
      'beta-klein-4b': 'https://app.example/models/image-mini',
    })
    expect(settings.threads).toBe(2)
  })

  it('leave out the name and password that a page was opened with, as browsers load nothing from such URLs', () => {
    const base = 'https://me:secret@app.example/shop/'
    const { settings } = resolveWebOptions({ runtimeUrl: 'ort', models: { mine: '/mine' } }, base)
    expect(settings.runtimeUrl).toBe('https://app.example/shop/ort/')
    expect(settings.models).toEqual({ mine: 'https://app.example/mine' })
  })

  it.each<[object, string]>([
    [{ models: { mine: 'https://me:secret@cdn.example/mine' } }, 'models.mine'],
    [{ runtimeUrl: undefined }, 'runtimeUrl'],
    [{ modelsUrl: 'http://[' }, 'modelsUrl'],
    [{ models: { mine: 3 } }, 'models.mine'],
    [{ models: { mine: 'https://cdn.example/mine?token=1' } }, 'models.mine'],
    [{ runtimeUrl: '/ort#x' }, 'runtimeUrl'],
    [{ models: 7 }, 'models'],
    [{ keepalive: 5 }, 'keepalive'],
    [{ workers: 2 }, 'workers'],
    [{ worker: 'no' }, 'worker'],
    [{ createWorker: 'worker.js' }, 'createWorker'],
    [{ maxOptions: 1 }, 'maxOptions'],
    [{ backend: 'cpu' }, 'backend'],
    [{ threads: 0 }, 'threads'],
    [{ maxQueue: 0.5 }, 'maxQueue'],
    [{ keepAlive: -1 }, 'keepAlive'],
    [{ memoryBudget: Number.NaN }, 'memoryBudget'],
  ])('%j are refused by name', (options, path) => {
    expect(() => resolveWebOptions({ runtimeUrl: '/ort', ...options }, BASE)).toThrow(expect.objectContaining({ path }))
  })

  it.each([
    [{ runtimeUrl: '/ort' }, "runtimeUrl: must be an absolute URL in a script of blob:, got '/ort'"],
    [{ runtimeUrl: 'http://[' }, "runtimeUrl: must be a URL, got 'http://['"],
  ])('that are relative are refused where nothing lies beside the script: %j', (options, message) => {
    expect(() => resolveWebOptions(options, `blob:${BASE}`)).toThrow(message)
  })

  it('say what there is in place of one that is misspelt', () => {
    const options = { runtimeUrl: '/ort', keepalive: 5 } as never
    const names = 'runtimeUrl, modelsUrl, models, backend, createWorker, threads, worker, keepAlive'
    expect(() => resolveWebOptions(options, BASE)).toThrow(`is no option of an engine in browsers; those are ${names}`)
  })
})
