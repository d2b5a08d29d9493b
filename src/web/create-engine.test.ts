import { expect, it } from 'vitest'
import { createEngine } from './create-engine.ts'

it('says on a server what to import there, and where to start this one', async () => {
  const message = expect.stringMatching(/needs a browser.*on a server import 'tessera-onnx'.*useEffect, onMount/)
  const starting = createEngine({ runtimeUrl: '/onnxruntime/', modelsUrl: '/models/' })
  await expect(starting).rejects.toMatchObject({ code: 'internal_error', retryable: false, message })
})
