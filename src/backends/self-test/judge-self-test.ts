import { BackendUnavailableError } from '../../errors/index.ts'
import type { AttentionForm, BackendName, Precision } from '../backend.ts'
import { type FamilyResult, type SelfTestResults, worse } from './run-self-test.ts'
import { type OperatorFamily, REPLACEABLE, type SelfTest } from './self-test.ts'

/**
 * Decides from the results of a self-test how graphs are built: in half precision where all that this takes was tried
 * and right, for products and pictures in addition to float32, for attention instead of it.
 *
 * @throws BackendUnavailableError when an operator that has no replacement is wrong
 */
export function judgeSelfTest(
  name: BackendName,
  whole: SelfTestResults,
  half: SelfTestResults = {},
): { selfTest: SelfTest; attention: AttentionForm; precision: Precision } {
  const precision = isProven(half) ? 'float16' : 'float32'
  const results = precision === 'float16' ? combine(whole, half) : whole
  const families = Object.entries(results) as [OperatorFamily, FamilyResult][]
  const fatal = families.find(([family, { ok }]) => !ok && !REPLACEABLE.includes(family))
  if (fatal !== undefined) {
    const reason = `it does not compute right here: ${fatal[1].reason}`
    throw new BackendUnavailableError(name, reason, 'update the driver or onnxruntime, or choose another backend')
  }
  const errors = families.map(([family, result]) => [family, result.maxError])
  const maxError = Object.fromEntries(errors) as SelfTest['maxError']
  const wrong = families.flatMap(([, { reason }]) => reason ?? [])
  if (wrong.length === 0) return { attention: 'fused', precision, selfTest: { ok: true, maxError } }
  const reason = `${wrong.join('; ')}; attention is computed by plain products instead`
  return { attention: 'explicit', precision, selfTest: { ok: false, maxError, reason } }
}

/** Attention comes last, so its results are there only if all others were right. */
function isProven(half: SelfTestResults): boolean {
  return REPLACEABLE.every((family) => half[family] !== undefined)
}

function combine(whole: SelfTestResults, half: SelfTestResults): SelfTestResults {
  const families = Object.entries(half) as [OperatorFamily, FamilyResult][]
  const both = families.map(([family, result]) => [
    family,
    REPLACEABLE.includes(family) ? result : worse(whole[family], result),
  ])
  return { ...whole, ...(Object.fromEntries(both) as SelfTestResults) }
}
