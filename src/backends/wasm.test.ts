import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/helpers/temporary-folder.ts'
import type { Backend, Tensor } from './backend.ts'
import { createBackend } from './create-backend.ts'
import { buildAddModel } from './probe-models.ts'
import { judgeSelfTest } from './self-test/judge-self-test.ts'
import { runSelfTest } from './self-test/run-self-test.ts'
import { buildExternalAddModel } from './test-support/external-add-model.ts'
import { createWasmBackend } from './wasm.ts'

const vector = (...values: number[]): Tensor => ({
  type: 'float32',
  dims: [values.length],
  data: Float32Array.from(values),
})

describe('the wasm backend in Node', () => {
  let backend: Backend
  beforeAll(async () => {
    backend = await createWasmBackend({ threads: 1 })
  })
  afterAll(() => backend.dispose())

  it('runs a model, and gives the memory of its results back when it is told to', async () => {
    const session = await backend.createSession(buildAddModel())
    const results = await session.run({ a: vector(1, 2, 3, 4), b: vector(1, 1, 1, 1) })
    expect(results['y']?.data).toEqual(Float32Array.of(2, 3, 4, 5))
    session.free(results)
    expect(results['y']?.data.buffer.byteLength).toBe(0)
    await session.dispose()
  })

  it('has the threads that it started with, and is refused with others', async () => {
    const again = await createBackend({ backend: 'wasm' })
    expect(again.threads).toBe(1)
    await again.backend.dispose()
    const refusal = { code: 'invalid_request', path: 'threads', message: expect.stringContaining('must be 1') }
    await expect(createBackend({ backend: 'wasm', threads: 2 })).rejects.toMatchObject(refusal)
  })

  it('computes every operator of graphs as the cpu does', async () => {
    const { selfTest } = judgeSelfTest('wasm', await runSelfTest((model) => backend.createSession(model)))
    expect(selfTest.ok).toBe(true)
    const { 'product-8-bit': _, 'product-4-bit': __, ...exact } = selfTest.maxError
    expect(Math.max(...Object.values(exact))).toBeLessThan(1e-5)
  })

  it('reads the weight files of the model folder that the model names', async () => {
    const folder = temporaryFolder()
    await writeFile(join(folder, 'model.safetensors'), new Uint8Array(Float32Array.of(10, 20, 30, 40).buffer))
    await writeFile(join(folder, 'other.safetensors'), new Uint8Array(8))
    const session = await backend.createSession(buildExternalAddModel(folder, 'model.safetensors', 0))
    const { y } = await session.run({ a: vector(1, 2, 3, 4) })
    expect(y?.data).toEqual(Float32Array.of(11, 22, 33, 44))
  })
})
