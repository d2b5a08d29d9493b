import { expect, it } from 'vitest'
import { PendingCall } from './pending-call.ts'
import { PLAINTEXT } from './sealer.ts'

const fault = new Error('from the handler')

it.each([
  [
    'at once',
    () => {
      throw fault
    },
  ],
  ['later', () => Promise.reject(fault)],
])('a call ends with what its listeners throw %s', async (_, listener: () => void) => {
  const start = () => new PendingCall('1', 'generateImage', {} as never, { onProgress: listener, onPreview: listener })
  const [told, shown] = [start(), start()]
  told.report({ stage: 'denoising', done: 0, total: 1 })
  await expect(told.ended).rejects.toBe(fault)
  shown.show(JSON.stringify({ picture: 0, step: 1, steps: 1, b64_json: 'AAAA' }), PLAINTEXT)
  await expect(shown.ended).rejects.toBe(fault)
})
