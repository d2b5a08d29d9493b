import type { CreateSession, Precision } from '../backend.ts'
import { attentionCases, cachedAttentionCases } from './attention-cases.ts'
import { elementwiseCases } from './elementwise-cases.ts'
import { layoutCases } from './layout-cases.ts'
import { buildCase, feedsOf, type OperatorCase, operatorsOf } from './operator-case.ts'
import { pictureCases } from './picture-cases.ts'
import { productCases } from './product-cases.ts'
import { rowCases } from './row-cases.ts'
import { type OperatorFamily, REPLACEABLE } from './self-test.ts'

/** A device in single precision stays below 1e-5, one that rounds factors to ten bits (TF32) below this. */
const TOLERANCE = 2e-3

/** What graphs in half precision compute in it; a device that does so right stays below 2e-3. */
export const HALVED: ReadonlySet<string> = new Set([
  'Add',
  'Conv',
  'Gemm',
  'GroupQueryAttention',
  'MatMul',
  'MatMulNBits',
  'Mul',
  'MultiHeadAttention',
  'QuickGelu',
  'RotaryEmbedding',
  'SimplifiedLayerNormalization',
])
const HALF_TOLERANCE = 1e-2

export interface FamilyResult {
  readonly ok: boolean
  /** Largest deviation from numbers computed in double precision, as a share of the largest of those; Infinity where
   * the operator did not run. */
  readonly maxError: number
  /** What was wrong first. */
  readonly reason?: string
}

/** By family, as far as the test went. */
export type SelfTestResults = Readonly<Partial<Record<OperatorFamily, FamilyResult>>>

/**
 * Runs every operator that the graphs of this library use and compares its numbers with computed ones. Each case takes a
 * device time, up to seconds, so the test ends at the first that is wrong and cannot be replaced, and leaves the rest of
 * a family that can be once one of it is wrong.
 *
 * @param createReplaceable opens sessions of operators that graphs can do without, so that it may ask more of the
 * device
 */
export function runSelfTest(
  createSession: CreateSession,
  createReplaceable: CreateSession = createSession,
): Promise<SelfTestResults> {
  return runCases(listCases(), 'float32', createSession, createReplaceable)
}

/** The same in half precision, of the operators that graphs compute in it. Many devices have none and end at once. */
export function runHalfSelfTest(
  createSession: CreateSession,
  createReplaceable: CreateSession = createSession,
): Promise<SelfTestResults> {
  const halved = listCases().filter((operator) => operatorsOf(operator).every((name) => HALVED.has(name)))
  return runCases(halved, 'float16', createSession, createReplaceable)
}

async function runCases(
  cases: readonly OperatorCase[],
  precision: Precision,
  createSession: CreateSession,
  createReplaceable: CreateSession,
): Promise<SelfTestResults> {
  const results: Partial<Record<OperatorFamily, FamilyResult>> = {}
  for (const operator of cases) {
    const { family } = operator
    if (results[family]?.ok === false) continue
    const replaceable = REPLACEABLE.includes(family)
    const result = await checkCase(replaceable ? createReplaceable : createSession, operator, precision)
    results[family] = worse(results[family], result)
    if (!result.ok && !replaceable) break
  }
  return results
}

/** The larger error of two, and the first reason. */
export function worse(before: FamilyResult = { ok: true, maxError: 0 }, now: FamilyResult): FamilyResult {
  const reason = before.reason ?? now.reason
  const worst = { ok: reason === undefined, maxError: Math.max(before.maxError, now.maxError) }
  return reason === undefined ? worst : { ...worst, reason }
}

/** Those without a replacement first. */
export function listCases(): OperatorCase[] {
  const lists = [
    productCases,
    rowCases,
    elementwiseCases,
    layoutCases,
    pictureCases,
    attentionCases,
    cachedAttentionCases,
  ]
  return lists.flatMap((list) => list())
}

async function checkCase(
  createSession: CreateSession,
  operator: OperatorCase,
  precision: Precision,
): Promise<FamilyResult> {
  const { operands, tolerance = precision === 'float16' ? HALF_TOLERANCE : TOLERANCE } = operator
  const what = `${operatorsOf(operator).join(', ')} of ${operands.map(({ tensor }) => `[${tensor.dims}]`).join(' ')}`
  try {
    const maxError = await measure(createSession, operator, precision)
    if (maxError <= tolerance) return { ok: true, maxError }
    return { ok: false, maxError, reason: `${what} is off by ${maxError.toPrecision(2)} of its largest value` }
  } catch (error) {
    return { ok: false, maxError: Infinity, reason: `${what} does not run: ${(error as Error).message}` }
  }
}

async function measure(createSession: CreateSession, operator: OperatorCase, precision: Precision): Promise<number> {
  const session = await createSession(buildCase(operator, precision))
  try {
    const results = await session.run(feedsOf(operator))
    const errors = operator.outputs.map((reference, i) =>
      reference ? deviation(results[`y${i}`]?.data as Float32Array, reference.values) : 0,
    )
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
