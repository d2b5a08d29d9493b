import type { Session } from '../../backends/backend.ts'
import type { Keeping } from '../kept/kept-states.ts'
import { type KeysAndValues, wipe } from '../kept/keys-and-values.ts'
import { trunkFeeds } from './tree-passes.ts'

type BeforePass = () => Promise<void>

/** A window of a state, about to be read once. */
export interface TreeWindow {
  /** Tokens with their frame. */
  readonly length: number
  /** Passes that reading it takes: none where its keys and values were kept. */
  readonly passes: number
  /**
   * Does some work with its keys and values, which are of no use afterwards.
   *
   * @param beforePass is awaited before the pass and may throw to stop
   */
  use<T>(beforePass: BeforePass, work: (state: KeysAndValues) => Promise<T>): Promise<T>
  /** Has to be called in the end, also of one that was not used. Safe to call twice. */
  close(): void
}

/**
 * @param ids tokens of the window with its frame
 * @param keeping looks for its keys and values there, and leaves them there when the work with them has succeeded; else they are wiped
 */
export async function openTreeWindow(trunk: Session, ids: readonly number[], keeping?: Keeping): Promise<TreeWindow> {
  const { length } = ids
  const name = await keeping?.kept.nameOf(trunk, keeping.tenant, ids)
  const loan = name === undefined ? undefined : keeping?.kept.borrow(name)
  if (loan) {
    return {
      length,
      passes: 0,
      use: (_, work) => work(loan.state).finally(loan.giveBack),
      close: loan.giveBack,
    }
  }
  return {
    length,
    passes: 1,
    async use(beforePass, work) {
      await beforePass()
      const state = await trunk.run(trunkFeeds(ids))
      let isKept = false
      try {
        const result = await work(state)
        isKept = name !== undefined
        return result
      } finally {
        if (isKept) keeping!.kept.keep(name!, trunk, state)
        else wipe(trunk, state)
      }
    },
    close() {},
  }
}
