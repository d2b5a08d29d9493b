import { expect, it } from 'vitest'
import { patchify, transposeMatrix, unpatchify } from './packing.ts'
import { captionPositions, jointPositions, padLength, picturePositions } from './positions.ts'
import { computeRotaryTable } from './rotary-table.ts'
import { computeTimestepFeatures } from './timestep-features.ts'

/** Values of the reference implementations. */
const FRAME_33 = {
  cos: [-0.01327675, -0.22546543, -0.70239705, 0.62230802],
  sin: [0.99991184, -0.97425115, -0.71178532, -0.78277242],
}
const TIME_500: [number, number][] = [
  [0, -0.88384926],
  [1, 0.94594574],
  [127, 0.99855685],
  [128, -0.4677718],
  [129, 0.32432494],
  [255, 0.05370453],
]

it('computes the rotary angles of Z-Image for frame 33', () => {
  const axes = { widths: [32, 48, 48], theta: 256, rounds: 'angles' } as const
  const { cos, sin } = computeRotaryTable(Int32Array.of(33, 0, 0), axes)
  expect(cos.length).toBe(64)
  for (const i of [0, 1, 2, 3]) {
    expect(cos[i]).toBeCloseTo(FRAME_33.cos[i]!, 6)
    expect(sin[i]).toBeCloseTo(FRAME_33.sin[i]!, 6)
  }
  expect([...cos.subarray(16), ...sin.subarray(16)]).toEqual([...Array(48).fill(1), ...Array(48).fill(0)])
})

it('computes the features of timestep 500', () => {
  const features = computeTimestepFeatures(500)
  for (const [i, value] of TIME_500) expect(features[i]).toBeCloseTo(value, 6)
})

it('packs squares of latents in the order of Z-Image: row, column, then channel', () => {
  // Two channels of 2 x 4; the tens digit is the channel.
  const latents = Float32Array.of(0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17)
  const tokens = patchify(latents, 2, 2, 4)
  expect([...tokens]).toEqual([0, 10, 1, 11, 4, 14, 5, 15, 2, 12, 3, 13, 6, 16, 7, 17])
  expect(unpatchify(tokens, 2, 2, 4)).toEqual(latents)
  expect([...transposeMatrix(Float32Array.of(1, 2, 3, 4, 5, 6), 2, 3)]).toEqual([1, 4, 2, 5, 3, 6])
})

it('places Z-Image tokens: caption in frames 1, 2, ..., picture in the frame behind it, padding at the origin', () => {
  expect([1, 32, 33].map(padLength)).toEqual([32, 32, 64])
  expect([...captionPositions(32)].slice(-6)).toEqual([31, 0, 0, 32, 0, 0])
  const positions = [...picturePositions({ height: 2, width: 3 }, 32)]
  expect(positions.slice(9, 18)).toEqual([33, 1, 0, 33, 1, 1, 33, 1, 2])
  expect(positions.slice(18)).toEqual(Array(3 * (32 - 6)).fill(0))
})

it('places FLUX.2 tokens: the text in line, the picture in frame 0, references in frames 10, 20, ...', () => {
  const positions = [
    ...jointPositions(2, { height: 1, width: 2 }, [
      { height: 1, width: 1 },
      { height: 2, width: 1 },
    ]),
  ]
  expect(positions).toEqual([0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 10, 0, 0, 0, 20, 0, 0, 0, 20, 1, 0, 0])
})
