import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cpuBackend } from '../../test/helpers/cpu-backend.ts'
import { temporaryFolder } from '../../test/helpers/temporary-folder.ts'
import type { Tensor } from './backend.ts'
import { createCpuBackend } from './cpu.ts'
import { buildAddModel } from './probe-models.ts'
import { buildExternalAddModel } from './test-support/external-add-model.ts'

const backend = await cpuBackend()

const vector = (...values: number[]): Tensor => ({
  type: 'float32',
  dims: [values.length],
  data: Float32Array.from(values),
})

describe('the cpu backend', () => {
  it('runs a model made in memory', async () => {
    const session = await backend.createSession(buildAddModel())
    expect(session.inputNames).toEqual(['a', 'b'])
    expect(session.outputNames).toEqual(['y'])
    const { y } = await session.run({ a: vector(1, 2, 3, 4), b: vector(1, 1, 1, 1) })
    expect(y).toEqual({ type: 'float32', dims: [4], data: Float32Array.of(2, 3, 4, 5) })
    await session.dispose()
  })

  it('gives the memory of results back when it is told to', async () => {
    const session = await backend.createSession(buildAddModel())
    const results = await session.run({ a: vector(1, 2, 3, 4), b: vector(1, 1, 1, 1) })
    session.free(results)
    expect(results['y']?.data.buffer.byteLength).toBe(0)
    await session.dispose()
  })

  it('reads weights from a file of the model folder', async () => {
    const folder = temporaryFolder()
    const padding = 64
    const bytes = new Uint8Array(padding + 16)
    bytes.set(new Uint8Array(Float32Array.of(10, 20, 30, 40).buffer), padding)
    await writeFile(join(folder, 'model.safetensors'), bytes)
    const model = buildExternalAddModel(folder, 'model.safetensors', padding)
    const session = await backend.createSession(model)
    const { y } = await session.run({ a: vector(1, 2, 3, 4) })
    expect(y?.data).toEqual(Float32Array.of(11, 22, 33, 44))
    await session.dispose()
  })

  it('takes weights from memory where there is no folder', async () => {
    const data = new Uint8Array(Float32Array.of(10, 20, 30, 40).buffer)
    const model = { bytes: buildExternalAddModel('', 'weights.bin', 0).bytes, files: [{ path: 'weights.bin', data }] }
    const session = await backend.createSession(model)
    const { y } = await session.run({ a: vector(1, 2, 3, 4) })
    expect(y?.data).toEqual(Float32Array.of(11, 22, 33, 44))
    await session.dispose()
  })

  it('refuses to run a disposed session and lets it be disposed twice', async () => {
    const session = await backend.createSession(buildAddModel())
    await session.dispose()
    await session.dispose()
    await expect(session.run({ a: vector(1, 2, 3, 4), b: vector(1, 2, 3, 4) })).rejects.toThrow('disposed')
  })

  it('disposes its sessions with itself and refuses new ones', async () => {
    const short = await createCpuBackend({ threads: 1 })
    const session = await short.createSession(buildAddModel())
    await short.dispose()
    await short.dispose()
    await expect(session.run({ a: vector(1, 2, 3, 4), b: vector(1, 2, 3, 4) })).rejects.toThrow('disposed')
    await expect(short.createSession(buildAddModel())).rejects.toThrow('disposed')
  })
})
