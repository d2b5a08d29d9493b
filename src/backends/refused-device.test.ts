import type * as Ort from 'onnxruntime-node'
import { expect, it } from 'vitest'
import { BackendUnavailableError } from '../errors/index.ts'
import { loadOnnxruntimeNode } from './onnxruntime-node.ts'
import type { OrtRuntime } from './open-session.ts'
import { createOrtBackend } from './ort-backend.ts'

it('a device that is wrong in float32 is refused without a test in half precision', async () => {
  const ort = await loadOnnxruntimeNode('cpu')
  const products: string[] = []
  /** onnxruntime on the processor, with the first product of each session a little off. */
  const wrong = {
    async create(bytes: Uint8Array, options: Ort.InferenceSession.SessionOptions) {
      const session = await ort.InferenceSession.create(bytes, options)
      if (!Buffer.from(bytes).includes('MatMul')) return session
      const run: typeof session.run = async (feeds: Ort.InferenceSession.FeedsType) => {
        const results = await session.run(feeds)
        for (const { data, type } of Object.values(results)) {
          products.push(type)
          ;(data as Float32Array)[0]! += 1
        }
        return results
      }
      const { inputNames, outputNames } = session
      return { inputNames, outputNames, run, release: () => session.release() }
    },
  }
  const runtime = { ...ort, InferenceSession: wrong } as unknown as OrtRuntime
  const opening = createOrtBackend('cuda', runtime, { kind: 'device', session: { executionProviders: ['cpu'] } })
  await expect(opening).rejects.toSatisfy((error) => BackendUnavailableError.isInstance(error))
  expect(products).toEqual(['float32'])
})
