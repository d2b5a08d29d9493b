import { BackendUnavailableError } from '../../errors/index.ts'
import type { AttentionForm, BackendName } from '../backend.ts'
import { type OperatorFamily, REPLACEABLE } from './operator-case.ts'
import type { SelfTestResults } from './run-self-test.ts'

/** How right a backend computes, and what followed from that. */
export interface SelfTest {
  /** Whether every operator was right. */
  readonly ok: boolean
  /** Largest deviation by family of operators, as a share of the largest right value. */
  readonly maxError: Readonly<Record<OperatorFamily, number>>
  /** What was wrong, and what is done instead. */
  readonly reason?: string
}

/**
 * Decides from the results of a self-test how graphs are built.
 *
 * @throws BackendUnavailableError when an operator that has no replacement is wrong
 */
export function judgeSelfTest(
  name: BackendName, results: SelfTestResults,
): { selfTest: SelfTest; attention: AttentionForm } {
  const families = Object.entries(results) as [OperatorFamily, SelfTestResults[OperatorFamily]][]
  const fatal = families.find(([family, { ok }]) => !ok && !REPLACEABLE.includes(family))
  if (fatal !== undefined) {
    const reason = `it does not compute right here: ${fatal[1].reason}`
    throw new BackendUnavailableError(name, reason, 'update the driver or onnxruntime, or choose another backend')
  }
  const errors = families.map(([family, result]) => [family, result.maxError])
  const maxError = Object.fromEntries(errors) as SelfTest['maxError']
  const wrong = families.flatMap(([, { reason }]) => reason ?? [])
  if (wrong.length === 0) return { attention: 'fused', selfTest: { ok: true, maxError } }
  const reason = `${wrong.join('; ')}; attention is computed by plain products instead`
  return { attention: 'explicit', selfTest: { ok: false, maxError, reason } }
}
