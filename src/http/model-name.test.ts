import { expect, it } from 'vitest'
import { createEngineMetrics } from './metrics/engine-metrics.ts'
import { modelName } from './model-name.ts'

it.each([
  ['acme/tiny', 'acme/tiny'],
  ['acme/tiny-GGUF:Q4_K_M', 'acme/tiny-GGUF:Q4_K_M'],
  ['acme/tiny-GGUF:small/tiny-Q4_K_M.gguf', 'acme/tiny-GGUF:small/tiny-Q4_K_M.gguf'],
  ['julia-1', 'julia-1'],
  ['decide-mini', 'decide-mini'],
  ['/home/me/models/tiny/', 'tiny'],
  ['/home/me/models/tiny.gguf', 'tiny.gguf'],
  ['C:\\models\\tiny', 'tiny'],
  ['C:/models/tiny', 'tiny'],
  ['./models/tiny', 'tiny'],
])('%s is shown as %s', (id, name) => {
  expect(modelName(id)).toBe(name)
})

it('GGUF files of one name in two repositories have samples of their own', () => {
  const models = ['acme', 'other'].map((owner) => ({ id: `${owner}/tiny-GGUF:Q4_K_M`, open: 1 }))
  const metrics = createEngineMetrics({ activity: () => ({ models }) as never })
  const loaded = metrics.flatMap((metric) => metric.lines()).filter((line) => line.startsWith('tessera_models_loaded{'))
  expect(loaded).toEqual([
    'tessera_models_loaded{model="acme/tiny-GGUF:Q4_K_M"} 1',
    'tessera_models_loaded{model="other/tiny-GGUF:Q4_K_M"} 1',
  ])
})
