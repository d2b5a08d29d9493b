import { expect, it } from 'vitest'
import { rotaryFrequencies } from './rotary-frequencies.ts'

it('of Llama 3 stretches all long waves, also where the bounds of long and short ones have changed places', () => {
  const theta = 50
  const scaling = { type: 'llama3', factor: 8, lowFrequency: 4, highFrequency: 1, trainedPositions: 64 } as const
  const plain = rotaryFrequencies(16, { theta })
  const scaled = rotaryFrequencies(16, { theta, scaling })
  const long = [...plain].map((frequency) => (2 * Math.PI) / frequency > 64 / 4)
  expect([...scaled].map((frequency, m) => frequency < plain[m]!)).toEqual(long)
  expect(long).toContain(true)
  expect(long).toContain(false)
})
