import type { CreateSession } from '../backend.ts'
import { attentionCases, cachedAttentionCases } from './attention-cases.ts'
import { layoutCases } from './layout-cases.ts'
import { buildCase, feedsOf, type OperatorCase, type OperatorFamily, REPLACEABLE } from './operator-case.ts'
import { pictureCases } from './picture-cases.ts'
import { productCases } from './product-cases.ts'
import { rowCases } from './row-cases.ts'

/** A device in single precision stays below 1e-5, one that rounds factors to ten bits (TF32) below this. */
const TOLERANCE = 2e-3

export interface FamilyResult {
  readonly ok: boolean
  /** Largest deviation from numbers computed in double precision, as a share of the largest of those; Infinity where
   * the operator did not run. */
  readonly maxError: number
  /** What was wrong first. */
  readonly reason?: string
}

export type SelfTestResults = Readonly<Record<OperatorFamily, FamilyResult>>

/**
 * Runs every operator that the graphs of this library use and compares its numbers with computed ones.
 *
 * @param createReplaceable opens sessions of operators that graphs can do without, so that it may ask more of the
 * device
 */
export async function runSelfTest(
  createSession: CreateSession, createReplaceable: CreateSession = createSession,
): Promise<SelfTestResults> {
  const results: Partial<Record<OperatorFamily, FamilyResult>> = {}
  for (const operator of listCases()) {
    const before = results[operator.family] ?? { ok: true, maxError: 0 }
    const { maxError, reason = before.reason } = await checkCase(
      REPLACEABLE.includes(operator.family) ? createReplaceable : createSession, operator)
    const worst = { ok: reason === undefined, maxError: Math.max(before.maxError, maxError) }
    results[operator.family] = reason === undefined ? worst : { ...worst, reason: before.reason ?? reason }
  }
  return results as SelfTestResults
}

function listCases(): OperatorCase[] {
  const lists = [productCases, rowCases, layoutCases, pictureCases, attentionCases, cachedAttentionCases]
  return lists.flatMap((list) => list())
}

async function checkCase(
  createSession: CreateSession, operator: OperatorCase,
): Promise<{ maxError: number; reason?: string }> {
  const { opType, operands, tolerance = TOLERANCE } = operator
  const what = `${opType} of ${operands.map((operand) => (operand ? `[${operand.tensor.dims}]` : '-')).join(' ')}`
  try {
    const maxError = await measure(createSession, operator)
    if (maxError <= tolerance) return { maxError }
    return { maxError, reason: `${what} is off by ${maxError.toPrecision(2)} of its largest value` }
  } catch (error) {
    return { maxError: Infinity, reason: `${what} does not run: ${(error as Error).message}` }
  }
}

async function measure(createSession: CreateSession, operator: OperatorCase): Promise<number> {
  const session = await createSession(buildCase(operator))
  try {
    const results = await session.run(feedsOf(operator))
    const errors = operator.outputs.map((reference, i) =>
      (reference ? deviation(results[`y${i}`]?.data as Float32Array, reference.values) : 0))
    return Math.max(...errors)
  } finally {
    await session.dispose()
  }
}

function deviation(got: Float32Array, wanted: ArrayLike<number>): number {
  let [difference, largest] = [0, 0]
  for (let i = 0; i < wanted.length; i++) {
    // Not a number counts as wrong, which comparing alone would not notice.
    const apart = Math.abs(got[i]! - wanted[i]!)
    difference = Number.isNaN(apart) ? Infinity : Math.max(difference, apart)
    largest = Math.max(largest, Math.abs(wanted[i]!))
  }
  return difference / largest
}
