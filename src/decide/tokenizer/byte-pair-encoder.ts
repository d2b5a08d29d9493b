import { NumberHeap } from './number-heap.ts'

/** Above any position in a word, and small enough that a rank times this is exact. */
const POSITIONS = 2 ** 32
/** In place of the id of a symbol that was merged into the one before it. */
const GONE = -1
/** Words of so many characters are merged by looking at all pairs for each merge, which takes half the time of a queue. */
const SHORT = 24
/** Above any rank. */
const NONE = 2 ** 31 - 1

const UTF8 = new TextEncoder()

export interface BytePairOptions {
  /** Whether a word that is a token is that token, whatever the rules make of it. @defaultValue false */
  readonly ignoreMerges?: boolean
  /** Whether characters that are no tokens are spelt in tokens `<0x00>` to `<0xFF>`. @defaultValue false */
  readonly byteFallback?: boolean
  /** The token of characters that cannot be written at all. @defaultValue none: they are left out, as by the `tokenizers` library */
  readonly unknown?: string | undefined
  /** Whether a run of such characters is one of these tokens. @defaultValue false */
  readonly fuseUnknown?: boolean
}

/**
 * Byte-pair encoding (Sennrich et al. 2016, arXiv:1508.07909): joins the neighbours of lowest rank, the first of equals, until
 * no rule applies. Works on ids, which is several times faster than on texts; time grows as n log n with the word.
 */
export class BytePairEncoder {
  /** Of single characters; all longer texts come from rules. */
  readonly #ids = new Map<string, number>()
  readonly #size: number
  /** Ids of a pair, as one number, to the rank of its rule. */
  readonly #ranks = new Map<number, number>()
  /** Rank to the id that the pair becomes. */
  readonly #merged: number[] = []
  /** Ranks of the pairs of a short word, overwritten by the next. */
  readonly #shortRanks = new Int32Array(SHORT)

  /** Of all tokens, where a word that is one is never made of others. */
  readonly #words: ReadonlyMap<string, number> | undefined
  /** Of the 256 bytes, where they spell characters that are no tokens. */
  readonly #bytes: readonly number[] | undefined
  readonly #unknown: number | undefined
  readonly #fuses: boolean

  /** @throws RangeError for a rule with a text that is no token */
  constructor(
    vocabulary: Readonly<Record<string, number>>,
    merges: readonly (readonly [string, string])[],
    { ignoreMerges = false, byteFallback = false, unknown, fuseUnknown = false }: BytePairOptions = {},
  ) {
    // A map, since looking a joined text up in an object interns it first; filled without a list of all entries.
    const ids = new Map<string, number>()
    let most = 0
    for (const token in vocabulary) {
      const id = vocabulary[token]!
      ids.set(token, id)
      most = Math.max(most, id)
    }
    this.#size = most + 1
    for (const [rank, [left, right]] of merges.entries()) {
      this.#ranks.set(this.#pair(known(ids, left), known(ids, right)), rank)
      this.#merged.push(known(ids, left + right))
    }
    for (const [token, id] of ids) if (isCharacter(token)) this.#ids.set(token, id)
    this.#words = ignoreMerges ? ids : undefined
    this.#bytes = byteFallback ? Array.from({ length: 256 }, (_, byte) => known(ids, byteToken(byte))) : undefined
    this.#unknown = unknown === undefined ? undefined : ids.get(unknown)
    this.#fuses = fuseUnknown
  }

  /** Ids of a word. */
  encode(word: string): number[] {
    const whole = this.#words?.get(word)
    if (whole !== undefined) return [whole]
    // A loop: with Array.from and a function all of tokenising took half as long again.
    const ids: number[] = []
    let isRun = false
    for (const character of word) {
      const id = this.#ids.get(character)
      const isUnknown = id === undefined && this.#bytes === undefined
      if (id !== undefined) ids.push(id)
      else if (this.#bytes !== undefined) for (const byte of UTF8.encode(character)) ids.push(this.#bytes[byte]!)
      // SmolLM2's vocabulary lacks six of the control characters, among others.
      else if (this.#unknown !== undefined && !(isRun && this.#fuses)) ids.push(this.#unknown)
      isRun = isUnknown
    }
    return ids.length <= SHORT ? this.#mergeShort(ids) : this.#mergeLong(ids)
  }

  #mergeShort(ids: number[]): number[] {
    const ranks = this.#shortRanks
    let last = ids.length - 1
    for (let at = 0; at < last; at++) ranks[at] = this.#rank(ids, at)
    for (;;) {
      let best = NONE
      let at = 0
      for (let pair = 0; pair < last; pair++) {
        const found = ranks[pair]!
        if (found < best) {
          best = found
          at = pair
        }
      }
      if (best === NONE) break
      ids[at] = this.#merged[best]!
      // Shifted by hand: two calls of splice take longer than all the rest.
      for (let right = at + 1; right < last; right++) {
        ids[right] = ids[right + 1]!
        ranks[right - 1] = ranks[right]!
      }
      last--
      if (at > 0) ranks[at - 1] = this.#rank(ids, at - 1)
      if (at < last) ranks[at] = this.#rank(ids, at)
    }
    ids.length = last + 1
    return ids
  }

  #rank(ids: readonly number[], at: number): number {
    return this.#ranks.get(this.#pair(ids[at]!, ids[at + 1]!)) ?? NONE
  }

  #mergeLong(ids: number[]): number[] {
    const end = ids.length
    const next = ids.map((_, at) => at + 1)
    const previous = ids.map((_, at) => at - 1)
    const queue = new NumberHeap()
    const rankAt = (at: number) => {
      const right = next[at]!
      return right < end ? this.#ranks.get(this.#pair(ids[at]!, ids[right]!)) : undefined
    }
    const offer = (at: number) => {
      const rank = rankAt(at)
      if (rank !== undefined) queue.push(rank * POSITIONS + at)
    }
    for (let at = 0; at < end - 1; at++) offer(at)
    for (let entry = queue.pop(); entry !== undefined; entry = queue.pop()) {
      const at = entry % POSITIONS
      const rank = (entry - at) / POSITIONS
      // Merges leave entries of pairs behind that no longer exist.
      if (ids[at] === GONE || rankAt(at) !== rank) continue
      const right = next[at]!
      const after = next[right]!
      ids[at] = this.#merged[rank]!
      ids[right] = GONE
      next[at] = after
      if (after < end) previous[after] = at
      if (at > 0) offer(previous[at]!)
      offer(at)
    }
    return ids.filter((id) => id !== GONE)
  }

  #pair(left: number, right: number): number {
    return left * this.#size + right
  }
}

function byteToken(byte: number): string {
  return `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`
}

function isCharacter(token: string): boolean {
  return token.length === 1 || (token.length === 2 && (token.codePointAt(0) as number) > 0xffff)
}

function known(ids: ReadonlyMap<string, number>, token: string): number {
  const id = ids.get(token)
  if (id === undefined)
    throw new RangeError(`the vocabulary lacks a token of ${token.length} characters that is needed`)
  return id
}
