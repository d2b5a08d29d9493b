import type { Change, UpdateOptions } from './usage-store.ts'

/** What a document becomes, and for how many milliseconds it is kept then; undefined for good. */
interface Changed {
  readonly document: string | undefined
  readonly keepMs: number | undefined
}

/** Several changes as one. */
export type MakeChanges = (document: string | undefined, now: number) => Changed

/** Replaces a document by what `make` makes of it, which runs again where another process came first. */
type Replace = (name: string, make: MakeChanges, signal: AbortSignal) => Promise<void>

interface Waiting extends UpdateOptions {
  readonly change: Change
  /** Why it was not made when the document was changed last. */
  refused?: { readonly by: unknown } | undefined
  resolve(): void
  reject(reason: unknown): void
}

/** Each reads the whole document and writes it, in one piece with the others. */
const MOST_TOGETHER = 32

/**
 * Makes changes of a document that come while another is under way together, in the order in which they came: one by one, those of an
 * account that sends many requests at once would wait for each other longer than a store may take.
 */
export class ChangesTogether {
  readonly #replace: Replace
  /** By document; one that nothing is under way for has none. */
  readonly #waiting = new Map<string, Waiting[]>()

  constructor(replace: Replace) {
    this.#replace = replace
  }

  run(name: string, change: Change, options: UpdateOptions = {}): Promise<void> {
    return new Promise((resolve, reject) => {
      const own: Waiting = { ...options, change, resolve, reject }
      const waiting = this.#waiting.get(name)
      if (waiting) return void waiting.push(own)
      this.#waiting.set(name, [own])
      void this.#makeAll(name)
    })
  }

  async #makeAll(name: string): Promise<void> {
    const waiting = this.#waiting.get(name)!
    while (waiting.length > 0) await this.#make(name, waiting.splice(0, MOST_TOGETHER))
    this.#waiting.delete(name)
  }

  async #make(name: string, together: readonly Waiting[]): Promise<void> {
    try {
      await this.#replace(name, (document, now) => changeBy(together, document, now), whenAll(together))
      for (const { refused, resolve, reject } of together) {
        if (refused) reject(refused.by)
        else resolve()
      }
    } catch (error) {
      for (const { reject } of together) reject(error)
    }
  }
}

function changeBy(together: readonly Waiting[], before: string | undefined, now: number): Changed {
  let changed: Changed = { document: before, keepMs: undefined }
  for (const one of together) {
    try {
      // A call that was given up while it waited must not be carried out.
      one.signal?.throwIfAborted()
      const document = one.change(changed.document, now)
      if (document !== changed.document) changed = { document, keepMs: one.keepMs }
      one.refused = undefined
    } catch (error) {
      one.refused = { by: error }
    }
  }
  return changed
}

/** Fires when nobody waits for any of them. */
function whenAll(together: readonly Waiting[]): AbortSignal {
  const controller = new AbortController()
  let left = together.length
  const leave = ({ signal }: Waiting) => {
    if (--left === 0) controller.abort(signal!.reason)
  }
  for (const one of together) {
    if (one.signal?.aborted) leave(one)
    else one.signal?.addEventListener('abort', () => leave(one), { once: true })
  }
  return controller.signal
}
