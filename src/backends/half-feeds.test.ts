import type * as Ort from 'onnxruntime-node'
import { afterAll, expect, it, vi } from 'vitest'
import { createOrtSession } from './ort-session.ts'

afterAll(() => vi.unstubAllGlobals())

it('float16 is fed as raw bits, also where the engine has Float16Array', async () => {
  vi.stubGlobal('Float16Array', class Float16Array extends Uint16Array {})
  const ort = await import('onnxruntime-node')
  const data = Uint16Array.of(0x3c00, 0x4000)
  expect(new ort.Tensor('float16', data, [2]).data.constructor.name).toBe('Float16Array')

  const run = vi.fn<(feeds: Record<string, Ort.Tensor>) => Promise<object>>(async () => ({}))
  const InferenceSession = { create: async () => ({ inputNames: ['x'], outputNames: [], run }) }
  const runtime = { ...ort, InferenceSession } as unknown as Parameters<typeof createOrtSession>[0]
  const session = await createOrtSession(runtime, { bytes: new Uint8Array() }, { session: {} })
  await session.run({ x: { type: 'float16', dims: [2], data } })
  const fed = run.mock.calls[0]![0]['x']!
  expect(fed.type).toBe('float16')
  expect(fed.dims).toEqual([2])
  expect(fed.data).toBe(data)
})
