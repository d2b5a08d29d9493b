import type { Summary } from '../../src/cli/bench/statistics.ts'
import type { RandomQwen3 } from '../models/random-qwen3.ts'
import type { Work } from './work.ts'

/** Ways of answering the same questions; see `renderPeers` for what they are. */
export type Way =
  | 'tessera'
  | 'tessera_rows'
  | 'llama_sequence'
  | 'llama_decisions'
  | 'llama_decisions_many'
  | 'transformers'

export interface PeerFigures extends Work {
  readonly bits: RandomQwen3['bits']
  readonly times: Readonly<Partial<Record<Way, Summary>>>
}

export interface PeersResults {
  readonly layers: number
  readonly decide: readonly PeerFigures[]
}
