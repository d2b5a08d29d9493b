import { expect, it } from 'vitest'
import { selectPreviews } from './select-previews.ts'

function sentOf(wanted: number, steps: number, pictures = 1): string[] {
  const sent: string[] = []
  const pass = selectPreviews(wanted, ({ picture, step }, index) => sent.push(`${picture}:${step}:${index}`))
  for (let picture = 0; picture < pictures; picture++) {
    for (let step = 1; step <= steps; step++) pass({ picture, step, steps, b64_json: '' })
  }
  return sent
}

it('spreads previews evenly over the steps of every picture', () => {
  expect(sentOf(3, 8)).toEqual(['0:2:0', '0:4:1', '0:6:2'])
  expect(sentOf(1, 4, 2)).toEqual(['0:2:0', '1:2:0'])
})

it('has fewer where steps are few, and none of the last one', () => {
  expect(sentOf(3, 3)).toEqual(['0:1:0', '0:2:1'])
  expect(sentOf(2, 1)).toEqual([])
  expect(sentOf(0, 8)).toEqual([])
})
