import { expect, it } from 'vitest'
import { furthest } from '../../../test/helpers/furthest.ts'
import { createNoise } from './noise.ts'

/** `torch.randn(..., generator=torch.Generator().manual_seed(seed))` of torch 2.13 on a CPU. */
const SEED_0 = [
  -1.12583983, -1.1523602, -0.25057858, -0.43387881, 0.84871036, 0.69200915, -0.31601277, -2.11521935, 0.32227492,
  -1.26333475, 0.34998319, 0.30813393, 0.11984151, 1.2376579, 1.11677718, -0.24727815,
]
const SEED_42 = [
  1.92691529, 1.48728406, 0.9007172, -2.10552096, 0.67841846, -1.23454487, -0.04306748, -1.60466695, -0.75213528,
  1.64872301, -0.39247864, -1.40360713, -0.72788131, -0.55943018, -0.76883888, 0.76244539,
]
const TWENTY_OF_SEED_7 = [
  -0.82013452, 0.39563116, 0.8989085, -1.3884039, 0.19844505, 0.78207266, 1.0391077, -0.72451073, -0.8489086,
  -1.2169294, -0.081021585, 1.3614851, -2.0614779, 0.6741007, -1.3233458, -1.359769, -0.8667016, -0.56400669,
  -2.0564625, -0.35672253,
]
const SECOND_OF_SEED_3 = [
  0.261501163, 0.931124449, -0.514461994, -1.65166545, 0.0370668769, -0.0676855892, 0.429033041, -0.86811924,
  -1.19631958, 1.02799654, 0.0718910918, -0.184476197, -0.958300412, 0.0639240816, 0.65891391, 0.8194592, 0.56159389,
  -0.248146832, -1.07996094, 0.591621757,
]

function expectClose(got: Float32Array, wanted: readonly number[]): void {
  expect(got.length).toBe(wanted.length)
  expect(furthest(got, wanted)).toBeLessThan(5e-7)
}

it.each([
  [0, SEED_0],
  [42, SEED_42],
])('draws the sixteen values that torch draws for seed %d', (seed, wanted) => {
  expectClose(createNoise(seed)(16), wanted)
})

it('draws the latents of a 1024x1024 picture as torch does, to the last value', () => {
  const values = createNoise(42)(16 * 128 * 128)
  expectClose(values.slice(-4), [-1.30105829, 0.60810214, -1.76224577, -2.32941723])
  expect(values.reduce((sum, value) => sum + value, 0)).toBeCloseTo(-62.9133, 1)
})

it('draws the packed latents of torch: channels are the slow axis', () => {
  const values = createNoise(42)(128 * 64 * 64)
  const token = [0, 1, 2, 3].map((channel) => values[channel * 64 * 64]!)
  expectClose(Float32Array.from(token), [1.92691529, -0.51969308, -0.79778224, 1.14618361])
})

it('draws the end of a length that is not a multiple of sixteen anew', () => {
  // torch.randn(20, generator=torch.Generator().manual_seed(7))
  expectClose(createNoise(7)(20), TWENTY_OF_SEED_7)
})

it('uses the low 32 bits of a seed, as torch does', () => {
  expect(createNoise(2 ** 32 + 5)(32)).toEqual(createNoise(5)(32))
  expect(createNoise(-1)(32)).toEqual(createNoise(2 ** 32 - 1)(32))
  expect(createNoise(5)(32)).not.toEqual(createNoise(6)(32))
})

it('refuses lengths that torch draws in another way', () => {
  expect(() => createNoise(0)(15)).toThrow(RangeError)
})

it('goes on where the last call ended, as torch does', () => {
  // g = torch.Generator().manual_seed(3); torch.randn(16, generator=g); torch.randn(20, generator=g)
  const draw = createNoise(3)
  draw(16)
  expectClose(draw(20), SECOND_OF_SEED_3)
})
