import { expect, it } from 'vitest'
import { computeRotaryCache } from './rotary-cache.ts'

it('equals the tables of transformers at near and far positions', () => {
  const { cos, sin } = computeRotaryCache(40960, 128, { theta: 1e6 })
  // Qwen3RotaryEmbedding, head size 128, theta 1e6: position, frequency, cosine, sine.
  const golden = [
    [0, 17, 1, 0],
    [1, 1, 0.6925038695335388, 0.7214141488075256],
    [1, 63, 1, 1.2409377632138785e-6],
    [777, 0, -0.5177181959152222, -0.8555511832237244],
    [777, 17, 0.58110511302948, 0.8138284683227539],
    [40959, 0, 0.46689721941947937, -0.8843116164207458],
    [40959, 5, 0.10438156127929688, 0.994537353515625],
    [40959, 63, 0.9987085461616516, 0.05080568790435791],
  ] as const
  for (const [position, m, cosine, sine] of golden) {
    expect(cos[position * 64 + m]).toBeCloseTo(cosine, 6)
    expect(sin[position * 64 + m]).toBeCloseTo(sine, 6)
  }
})
