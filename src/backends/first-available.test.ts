import { expect, it } from 'vitest'
import { BackendUnavailableError } from '../errors/index.ts'
import { createFirstAvailable } from './first-available.ts'

const cause = new Error('the last of them')

function failing(remedies: Readonly<Record<string, string>>) {
  const names = Object.keys(remedies) as ('webgpu' | 'wasm')[]
  return createFirstAvailable(names, async (name) => {
    throw new BackendUnavailableError(name, `no ${name}`, remedies[name]!, name === 'wasm' ? { cause } : {})
  })
}

it('says of each backend what helps it, and keeps the cause of the last', async () => {
  const starting = failing({ webgpu: 'update the driver', wasm: 'serve its files' })
  await expect(starting).rejects.toMatchObject({
    backend: 'auto',
    reason: 'webgpu: no webgpu; wasm: no wasm',
    remedy: 'For webgpu: update the driver. For wasm: serve its files',
    cause,
  })
})

it('says once what helps all of them', async () => {
  await expect(failing({ webgpu: 'reinstall', wasm: 'reinstall' })).rejects.toMatchObject({ remedy: 'reinstall' })
})
