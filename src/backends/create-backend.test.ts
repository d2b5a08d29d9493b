import { describe, expect, it } from 'vitest'
import { BackendUnavailableError } from '../errors/index.ts'
import type { Backend, BackendName } from './backend.ts'
import { type BackendFactories, createBackend } from './create-backend.ts'

describe('createBackend', () => {
  it('takes the cpu here and says what it tried first', async () => {
    const choice = await createBackend({ backend: 'auto', threads: 1 }, only('cpu', 'wasm'))
    expect(choice).toMatchObject({
      chosen: 'cpu',
      threads: 1,
      tried: [{ name: 'cuda', reason: 'no cuda here', remedy: 'get it' }],
    })
    expect(choice.reason).toBe('cpu is the first that works here; before it: cuda: no cuda here')
    expect(choice.runtime).toMatch(/^onnxruntime-node \d+\.\d+\.\d+$/)
  })

  it('takes wasm where no native binding loads', async () => {
    const choice = await createBackend({ backend: 'auto' }, only('wasm'))
    expect(choice.chosen).toBe('wasm')
    expect(choice.tried.map((attempt) => attempt.name)).toEqual(['cuda', 'cpu'])
    expect(choice.reason).toContain('cpu: no cpu here')
    expect(choice.runtime).toMatch(/^onnxruntime-web/)
  })

  it('prefers cuda where it works', async () => {
    const choice = await createBackend({ backend: 'auto' }, only('cuda', 'cpu'))
    expect(choice).toMatchObject({ chosen: 'cuda', reason: 'cuda works and comes first', tried: [] })
  })

  it('never takes another backend than the one named', async () => {
    const creation = createBackend({ backend: 'webgpu' }, only('cpu', 'wasm', 'cuda'))
    await expect(creation).rejects.toMatchObject({ code: 'backend_unavailable', backend: 'webgpu', remedy: 'get it' })
  })

  it('lists every attempt when nothing works', async () => {
    const creation = createBackend({ backend: 'auto' }, only())
    await expect(creation).rejects.toMatchObject({ backend: 'auto', reason: expect.stringContaining('wasm: no wasm') })
  })

  it('does not hide a fault behind the next backend', async () => {
    const factories = { ...only('cpu'), cuda: () => Promise.reject(new Error('a bug')) }
    await expect(createBackend({ backend: 'auto' }, factories)).rejects.toThrow('a bug')
  })

  it('refuses a provider that the build for this platform lacks', async () => {
    const error = await createBackend({ backend: 'coreml' }).catch((thrown: unknown) => thrown)
    if (process.platform === 'darwin') return expect(error).toMatchObject({ chosen: 'coreml' })
    expect(error).toMatchObject({ code: 'backend_unavailable', reason: expect.stringContaining('no coreml provider') })
  })
})

/** Factories of which only the named ones work. */
function only(...working: BackendName[]): BackendFactories {
  const factory = (name: BackendName) => async (): Promise<Backend> => {
    if (!working.includes(name)) throw new BackendUnavailableError(name, `no ${name} here`, 'get it')
    const createSession = () => Promise.reject(new Error('not used'))
    const shown = { attention: 'fused', precision: 'float32', movesHalf: true } as const
    return { name, ...shown, createSession, dispose: async () => {} }
  }
  return {
    cpu: factory('cpu'),
    cuda: factory('cuda'),
    webgpu: factory('webgpu'),
    wasm: factory('wasm'),
    coreml: factory('coreml'),
    dml: factory('dml'),
  }
}
