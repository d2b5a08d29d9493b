/** What stands or falls together, as `backendInfo().selfTest` names it. */
export type OperatorFamily =
  | 'product'
  | 'product-8-bit'
  | 'product-4-bit'
  | 'normalization'
  | 'softmax'
  | 'rotary'
  | 'elementwise'
  | 'layout'
  | 'convolution'
  | 'attention'
  | 'cached-attention'

/** What graphs can do without, by writing it out in other operators. */
export const REPLACEABLE: readonly OperatorFamily[] = ['attention', 'cached-attention']

/** How right a backend computes, and what followed from that. */
export interface SelfTest {
  /** Whether every operator was right. */
  readonly ok: boolean
  /** Largest deviation by family of operators, as a share of the largest right value. */
  readonly maxError: Readonly<Record<OperatorFamily, number>>
  /** What was wrong, and what is done instead. */
  readonly reason?: string
}
