import type { Branch } from './branch.ts'

/** Branches answered in one pass. The bias of a pass has group tokens × (state + group tokens) entries. */
export type Group = readonly { readonly branch: Branch; readonly question: number }[]

/** First-fit packing in request order into passes of at most `budget` tokens; a longer branch gets a pass of its own. */
export function groupBranches(branches: readonly Branch[], budget: number): Group[] {
  const groups: { size: number; members: { branch: Branch; question: number }[] }[] = []
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
export function countTokens(group: Group): number {
  return group.reduce((sum, { branch }) => sum + branch.ids.length, 0)
}
