import fc from 'fast-check'
import { expect, it } from 'vitest'
import { groupTexts } from './group-texts.ts'

it('puts texts of similar length together, the shorter ones first', () => {
  expect(groupTexts([40, 10, 300, 42, 12], 96)).toEqual([[1, 4], [0, 3], [2]])
})

it('reads every text once, and pads a pass to no more than the tokens it may have', () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 40 })
  fc.assert(
    fc.property(lengths, (texts) => {
      const groups = groupTexts(texts, 256)
      expect(groups.flat().sort((a, b) => a - b)).toEqual([...texts.keys()])
      for (const group of groups) {
        const longest = Math.max(...group.map((place) => texts[place]!))
        expect(group.length === 1 || group.length * longest <= 256).toBe(true)
      }
    }),
  )
})
