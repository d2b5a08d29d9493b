import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countGroupTokens, groupBranches } from './group-branches.ts'

const branch = (length: number) => ({ ids: Array.from({ length }, (_, index) => index) })
const lengths = (sizes: readonly number[], most: number) => groupBranches(sizes.map(branch), most).map(countGroupTokens)

describe('groupBranches', () => {
  it('makes passes of nearly one length, not a full one and a short one', () => {
    expect(lengths(Array(10).fill(60), 512)).toEqual([300, 300])
    expect(lengths(Array(9).fill(60), 512)).toEqual([300, 240])
    expect(lengths(Array(8).fill(60), 512)).toEqual([480])
  })

  it('gives a branch of more tokens a pass of its own', () => {
    expect(lengths([40, 900, 40], 512)).toEqual([80, 900])
  })

  it('leaves no branch out, keeps every pass within its tokens, and leaves no two passes that fit into one', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 60 }), (sizes) => {
        const groups = groupBranches(sizes.map(branch), 512)
        const questions = groups.flatMap((group) => group.map(({ question }) => question)).sort((a, b) => a - b)
        expect(questions).toEqual(sizes.map((_, index) => index))
        for (const group of groups) {
          for (const {
            branch: { ids },
            question,
          } of group)
            expect(ids.length).toBe(sizes[question])
          if (group.length > 1) expect(countGroupTokens(group)).toBeLessThanOrEqual(512)
        }
        const ordered = groups.map(countGroupTokens).sort((a, b) => a - b)
        if (ordered.length > 1) expect(ordered[0]! + ordered[1]!).toBeGreaterThan(512)
      }),
    )
  })
})
