import type { Keeping, Maker } from '../kept/kept-states.ts'
import { CHUNK, prefillFeeds } from './passes.ts'
import type { StateCache } from './state-cache.ts'

/** A window of a state, about to be read once. */
export interface StateWindow {
  /** Its tokens. */
  readonly ids: readonly number[]
  /** Passes that reading it takes: none where its keys and values were kept. */
  readonly passes: number
  /** Puts its keys and values into a cache. `beforePass` is awaited before every pass and may throw to stop. */
  fill(cache: StateCache, beforePass: () => Promise<void>): Promise<void>
  /** Keeps what such a cache has of it. To be called when its questions are answered. */
  keep(cache: StateCache): void
  /** Has to be called in the end, also of one that was not used. Safe to call twice. */
  close(): void
}

/**
 * @param maker of the model, whose `free` gives back what is kept
 * @param keeping looks for its keys and values there, and leaves them there; else nothing is kept
 */
export async function openStateWindow(maker: Maker, ids: readonly number[], keeping?: Keeping): Promise<StateWindow> {
  const name = await keeping?.kept.nameOf(maker, keeping.tenant, ids)
  const loan = name === undefined ? undefined : keeping?.kept.borrow(name)
  if (loan) {
    const { state, giveBack } = loan
    return { ids, passes: 0, fill: async (cache) => cache.copies!.restore(state), keep: giveBack, close: giveBack }
  }
  const passes = Math.ceil(ids.length / CHUNK)
  return {
    ids,
    passes,
    async fill(cache, beforePass) {
      // Passes of one length: those of 512 and 128 tokens take a twentieth longer than two of 320.
      const chunk = Math.ceil(ids.length / passes)
      for (let past = 0; past < ids.length; past += chunk) {
        await beforePass()
        await cache.extend(prefillFeeds(ids.slice(past, past + chunk), past), past)
      }
    },
    keep({ copies }) {
      if (keeping === undefined || copies === undefined) return
      const { kept } = keeping
      if (kept.makeRoomFor(name!, copies.weigh(ids.length))) kept.keep(name!, maker, copies.make(ids.length))
    },
    close() {},
  }
}
