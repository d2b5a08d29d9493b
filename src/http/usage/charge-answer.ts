import { DEFAULT_MODELS } from '../../engine/default-models.ts'
import { AbortedError } from '../../errors/index.ts'
import { requireModel } from '../keys/permissions.ts'
import type { TokenLimiter } from '../limits/token-limiter.ts'
import type { ServerMetrics } from '../metrics/server-metrics.ts'
import type { Call, JobSteps } from '../route.ts'
import type { AbandonedWork } from './abandoned-work.ts'
import { type Claim, digest, type IdempotentRequests, toComparable } from './idempotent-requests.ts'
import type { Ledger, Reservation } from './ledger.ts'
import type { Endpoint } from './prices.ts'

/** Who asks, and until when. */
export type Asking = Pick<Call, 'caller' | 'signal' | 'noteUnits' | 'noteTimings' | 'idempotencyKey' | 'job'>

export interface Accounting {
  readonly ledger: Ledger
  readonly requests: IdempotentRequests
  readonly abandoned: AbandonedWork
  readonly tokens: TokenLimiter
  readonly metrics: ServerMetrics
}

export interface Charge<Answer> {
  readonly endpoint: Endpoint
  /** The request itself: which model it names, and to know it again by. */
  readonly request: { readonly model?: string | null | undefined }
  /** Whether it goes on for a while when the client hangs up, so that its next try takes it over; default false. Jobs never do. */
  readonly mayBeAbandoned?: boolean
  /** Units that the answer will use at most; asked only where the caller can run out. */
  foresee(signal: AbortSignal): Promise<number> | number
  answer(signal: AbortSignal): Promise<Answer>
  /** Units that an answer used. */
  count(answer: Answer): number
}

/** An answer, and what was set aside for it. */
interface Made<Answer> {
  readonly answer: Answer
  readonly reservation: Reservation
}

const DEFAULTS: Readonly<Record<Endpoint, string>> = {
  decisions: DEFAULT_MODELS.decide,
  generations: DEFAULT_MODELS.generateImage,
  edits: DEFAULT_MODELS.editImage,
}

/**
 * Makes an answer and charges it to the caller, once, if and only if it was made while the caller still waited, or was
 * taken over by the caller's next try.
 *
 * @throws PermissionError, RateLimitError, InsufficientQuotaError and StoreUnavailableError before the work begins;
 *   Refusal (409) for an `Idempotency-Key` of another request; AbortedError; what `answer` throws
 */
export async function chargeAnswer<Answer>(
  accounting: Accounting,
  asking: Asking,
  charge: Charge<Answer>,
): Promise<Answer> {
  const { ledger, requests, abandoned } = accounting
  const { caller, signal, idempotencyKey: key } = asking
  const { endpoint, request } = charge
  const { id: account } = caller
  requireModel(caller, request.model ?? DEFAULTS[endpoint])
  const { make, settle, answerAgain } = createSteps(accounting, asking, charge)

  async function answerClaimed(ended: AbortSignal, claim: Claim): Promise<Answer> {
    const made = await make(ended, claim.charge)
    if ((await settle(made)) && (await claim.conclude())) ledger.forget(account, claim.charge)
    return made.answer
  }

  const text = () => `${endpoint}\n${toComparable(request)}`
  if (key !== undefined) {
    const asked = { account, key, body: digest(text()) }
    return requests.run(asked, signal, (ended, claim) => (claim ? answerClaimed(ended, claim) : answerAgain(ended)))
  }
  const made =
    charge.mayBeAbandoned && asking.job === undefined
      ? await abandoned.run({ account, text }, signal, make, ({ reservation }) => reservation.release())
      : await make(signal)
  await settle(made)
  return made.answer
}

/** What is done for an answer: it is made while units are set aside, then charged. */
function createSteps<Answer>(accounting: Accounting, { caller, noteUnits, job }: Asking, charge: Charge<Answer>) {
  const { ledger, tokens, metrics } = accounting
  const { endpoint } = charge
  let foreseen: Promise<number> | undefined
  const foresee = async (ended: AbortSignal) => (foreseen ??= Promise.resolve(charge.foresee(ended)))

  async function takeTokens(ended: AbortSignal): Promise<void> {
    if (endpoint === 'decisions') await tokens.take(caller, () => foresee(ended))
  }

  return {
    async make(ended: AbortSignal, name?: string): Promise<Made<Answer>> {
      await takeTokens(ended)
      const order = { endpoint, foresee: () => foresee(ended), ...(name !== undefined && { charge: name }) }
      const reservation = await ledger.reserve(caller, order)
      try {
        return { reservation, answer: await answerWaited(charge, ended, job) }
      } catch (error) {
        await reservation.release()
        throw error
      }
    },

    /** @returns whether it is charged now; where the store is away it will be */
    async settle(made: Made<Answer>): Promise<boolean> {
      const units = charge.count(made.answer)
      const isCharged = await made.reservation.settle(units)
      metrics.answered(endpoint, units)
      noteUnits(units)
      return isCharged
    },

    /** Not charged, and work all the same. */
    async answerAgain(ended: AbortSignal): Promise<Answer> {
      await takeTokens(ended)
      return answerWaited(charge, ended, job)
    },
  }
}

/** An answer that nobody waits for any more is not charged. */
async function answerWaited<Answer>(
  charge: Charge<Answer>,
  ended: AbortSignal,
  job: JobSteps | undefined,
): Promise<Answer> {
  await job?.begin(ended)
  const answered = await charge.answer(ended)
  if (ended.aborted) throw new AbortedError(undefined, { cause: ended.reason })
  return answered
}
