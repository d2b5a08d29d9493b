import type { DeviceTensor, Feeds, Session, Tensor } from '../../backends/backend.ts'
import type { KeysAndValues } from '../kept/keys-and-values.ts'

/** Keys and values of the state in one window, of every layer: [1, KV heads, rows, head_dim] each. */
export interface StateCache {
  /** Runs a prefill pass, which continues `past` rows, and keeps what it computes behind them. With `past` 0 it begins anew. */
  extend(feeds: Feeds, past: number): Promise<void>
  /** Runs a pass that sees the cache; returns its outputs. */
  read(session: Session, feeds: Feeds): Promise<Record<string, Tensor>>
  /** Takes rows out and puts them in. Absent where they are on a device. */
  readonly copies?: RowCopies
  /** Overwrites what was read, or frees it on its device: keys and values can be inverted to the text they came from. */
  clear(): Promise<void>
}

/** Copies of the first rows of a cache, [1, KV heads, rows, head_dim] each. */
export interface RowCopies {
  /** Bytes of a copy. */
  weigh(rows: number): number
  make(rows: number): KeysAndValues
  /** Begins anew with what was copied of a cache of the same model. */
  restore(copy: KeysAndValues): void
}

/** The layers of a cache, `key.{i}` and `value.{i}`, that a graph takes: prefill needs no past of the last one. */
export function feedPast(
  { inputNames }: Pick<Session, 'inputNames'>,
  cache: Readonly<Record<string, Tensor | DeviceTensor>>,
): Record<string, Tensor | DeviceTensor> {
  const taken = Object.entries(cache).filter(([name]) => inputNames.includes(`past_${name}`))
  return Object.fromEntries(taken.map(([name, tensor]) => [`past_${name}`, tensor]))
}
