import { DEFAULT_MODELS } from '../../engine/default-models.ts'
import { AbortedError } from '../../errors/index.ts'
import { requireModel } from '../keys/permissions.ts'
import type { TokenLimiter } from '../limits/token-limiter.ts'
import type { ServerMetrics } from '../metrics/server-metrics.ts'
import type { Call } from '../route.ts'
import { type Claim, digest, type IdempotentRequests } from './idempotent-requests.ts'
import type { Ledger } from './ledger.ts'
import type { Endpoint } from './prices.ts'

/** Who asks, and until when. */
export type Asking = Pick<Call, 'caller' | 'signal' | 'noteUnits' | 'noteTimings' | 'idempotencyKey'>

export interface Accounting {
  readonly ledger: Ledger
  readonly requests: IdempotentRequests
  readonly tokens: TokenLimiter
  readonly metrics: ServerMetrics
}

export interface Charge<Answer> {
  readonly endpoint: Endpoint
  /** The request itself: which model it names, and to know it again by. */
  readonly request: { readonly model?: string | null | undefined }
  /** Units that the answer will use at most; asked only where the caller can run out. */
  foresee(signal: AbortSignal): Promise<number> | number
  answer(signal: AbortSignal): Promise<Answer>
  /** Units that an answer used. */
  count(answer: Answer): number
}

const DEFAULTS: Readonly<Record<Endpoint, string>> = {
  decisions: DEFAULT_MODELS.decide,
  generations: DEFAULT_MODELS.generateImage,
  edits: DEFAULT_MODELS.editImage,
}

/**
 * Makes an answer and charges it to the caller, once, if and only if it was made while the caller still waited.
 *
 * @throws PermissionError, RateLimitError, InsufficientQuotaError and StoreUnavailableError before the work begins;
 *   Refusal (409) for an `Idempotency-Key` of another request; AbortedError; what `answer` throws
 */
export async function chargeAnswer<Answer>(
  { ledger, requests, tokens, metrics }: Accounting,
  { caller, signal, noteUnits, idempotencyKey: key }: Asking,
  charge: Charge<Answer>,
): Promise<Answer> {
  const { endpoint } = charge
  requireModel(caller, charge.request.model ?? DEFAULTS[endpoint])
  let foreseen: Promise<number> | undefined
  const foresee = async (ended: AbortSignal) => (foreseen ??= Promise.resolve(charge.foresee(ended)))

  async function answer(ended: AbortSignal): Promise<Answer> {
    const made = await charge.answer(ended)
    // An answer that nobody waits for any more is not charged.
    if (ended.aborted) throw new AbortedError(undefined, { cause: ended.reason })
    return made
  }

  /** Also for answers that are not charged: they are work. */
  async function takeTokens(ended: AbortSignal): Promise<void> {
    if (endpoint === 'decisions') await tokens.take(caller, () => foresee(ended))
  }

  async function answerAndCharge(ended: AbortSignal, claim?: Claim): Promise<Answer> {
    const order = { endpoint, foresee: () => foresee(ended), ...(claim && { charge: claim.charge }) }
    const reservation = await ledger.reserve(caller, order)
    try {
      const made = await answer(ended)
      const units = charge.count(made)
      const isCharged = await reservation.settle(units)
      if (claim && isCharged && (await claim.conclude())) ledger.forget(caller.id, claim.charge)
      metrics.answered(endpoint, units)
      noteUnits(units)
      return made
    } catch (error) {
      await reservation.release()
      throw error
    }
  }

  async function work(ended: AbortSignal, claim?: Claim, isCharged = true): Promise<Answer> {
    await takeTokens(ended)
    return isCharged ? answerAndCharge(ended, claim) : answer(ended)
  }

  if (key === undefined) return work(signal)
  const body = digest(`${endpoint}\n${JSON.stringify(charge.request)}`)
  return requests.run({ account: caller.id, key, body }, signal, (ended, claim) =>
    work(ended, claim, claim !== undefined),
  )
}
