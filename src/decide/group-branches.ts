/** A question as the tokens that continue the state, in one kind of model or another. */
interface Branch {
  readonly ids: readonly number[]
}

/** Branches answered in one pass. The bias of a pass has group tokens × (state + group tokens) entries. */
export type Group<B extends Branch> = readonly { readonly branch: B; readonly question: number }[]

/** Finer would not be seen in the time of a pass. */
const STEP = 16

/**
 * Packs branches in request order into few passes of at most `most` tokens, of nearly one length: every token of a pass is
 * computed against every other, so a long and a short one take longer than two alike. A longer branch gets a pass of its own.
 */
export function groupBranches<B extends Branch>(branches: readonly B[], most: number): Group<B>[] {
  const fewest = packFirstFit(branches, most)
  const total = branches.reduce((sum, { ids }) => sum + ids.length, 0)
  for (let budget = Math.ceil(total / fewest.length); budget < most; budget += STEP) {
    const even = packFirstFit(branches, budget)
    if (even.length === fewest.length) return even
  }
  return fewest
}

function packFirstFit<B extends Branch>(branches: readonly B[], budget: number): Group<B>[] {
  const groups: { size: number; members: { branch: B; question: number }[] }[] = []
  for (const [question, branch] of branches.entries()) {
    const size = branch.ids.length
    const open = groups.find((group) => group.size + size <= budget)
    if (open) {
      open.size += size
      open.members.push({ branch, question })
    } else groups.push({ size, members: [{ branch, question }] })
  }
  return groups.map((group) => group.members)
}

/** Tokens of all branches of a group together. */
export function countGroupTokens(group: Group<Branch>): number {
  return group.reduce((sum, { branch }) => sum + branch.ids.length, 0)
}
