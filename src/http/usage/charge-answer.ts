import { DEFAULT_MODELS } from '../../engine/options/default-models.ts'
import { throwIfAborted } from '../../errors/aborted-by.ts'
import type { Progress } from '../../jobs/job-context.ts'
import { digest } from '../digest.ts'
import type { PayerNow } from '../keys/payer-now.ts'
import { requireModel } from '../keys/permissions.ts'
import type { TokenLimiter } from '../limits/token-limiter.ts'
import type { ServerMetrics } from '../metrics/server-metrics.ts'
import type { Call } from '../route.ts'
import type { Claim, IdempotentRequests } from './idempotent-requests.ts'
import type { Ledger, Reservation } from './ledger.ts'
import type { Endpoint } from './prices.ts'
import type { Attendance, RunningWork } from './running-work.ts'
import { toComparable } from './to-comparable.ts'

/** Who asks, and until when. */
export type Asking = Pick<
  Call,
  'caller' | 'signal' | 'noteTokens' | 'noteUnits' | 'noteTimings' | 'idempotencyKey' | 'retryCount' | 'job'
>

export interface Accounting {
  readonly ledger: Ledger
  readonly requests: IdempotentRequests
  readonly running: RunningWork
  readonly tokens: TokenLimiter
  readonly metrics: ServerMetrics
  readonly payerNow: PayerNow
}

export interface Charge<Answer> {
  readonly endpoint: Endpoint
  /** The request itself: which model it names, and to know it again by. */
  readonly request: { readonly model?: string | null | undefined }
  /** Whether it goes on for a while when the client hangs up, so that its next try takes it over; default false. Jobs never do. */
  readonly mayBeAbandoned?: boolean
  /** Units that the answer will use at most; asked only where the caller can run out. */
  foresee(signal: AbortSignal): Promise<number> | number
  answer(signal: AbortSignal, onProgress: (progress: Progress) => void): Promise<Answer>
  /** Units that an answer used. */
  count(answer: Answer): number
}

/** An answer, and what was set aside for it. */
interface Made<Answer> {
  readonly answer: Answer
  readonly reservation: Reservation
}

/** An answer that is charged, or was before. */
interface Delivered<Answer> {
  readonly answer: Answer
  /** Units that were charged for it, which one of those who get it notes. */
  units: number
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
 *   Refusal (409) for an `Idempotency-Key` of another request; OverloadedError where the caller is to come again for the
 *   answer; AbortedError; what `answer` throws
 */
export async function chargeAnswer<Answer>(
  accounting: Accounting,
  asking: Asking,
  charge: Charge<Answer>,
): Promise<Answer> {
  const { requests, running } = accounting
  const { caller, signal, idempotencyKey: key, retryCount, job } = asking
  const { endpoint, request, mayBeAbandoned = false } = charge
  const { id: account } = caller
  requireModel(caller, request.model ?? DEFAULTS[endpoint])
  const { answerOnce, answerAgain } = createSteps(accounting, asking, charge)
  const body = () => `${endpoint}\n${toComparable(request)}`
  const asked = {
    account,
    retryCount,
    isShared: key !== undefined,
    mayLinger: mayBeAbandoned && job === undefined,
    text: () => `${key ?? ''}\n${body()}`,
  }
  const delivered = await running.run(asked, signal, (ended, attendance) =>
    key === undefined
      ? answerOnce(ended, attendance)
      : requests.run({ account, key, body: digest(body()) }, ended, (claim) =>
          claim ? answerOnce(ended, attendance, claim) : answerAgain(ended, attendance),
        ),
  )
  if (delivered.units > 0) asking.noteUnits(delivered.units)
  delivered.units = 0
  return delivered.answer
}

/** What is done for an answer: it is made while units are set aside, then charged. */
function createSteps<Answer>(accounting: Accounting, asking: Asking, charge: Charge<Answer>) {
  const { ledger, tokens, metrics, payerNow } = accounting
  const { caller, job } = asking
  const { endpoint } = charge
  let foreseen: Promise<number> | undefined
  const foresee = async (ended: AbortSignal) => (foreseen ??= Promise.resolve(charge.foresee(ended)))

  async function takeTokens(ended: AbortSignal): Promise<void> {
    if (endpoint === 'decisions') await tokens.take(caller, () => foresee(ended), asking.noteTokens)
  }

  async function make(ended: AbortSignal, attendance: Attendance, name: string | undefined): Promise<Made<Answer>> {
    await takeTokens(ended)
    const order = { endpoint, foresee: () => foresee(ended), ...(name !== undefined && { charge: name }) }
    // A batch may run for hours, and what is paid in meanwhile is for its lines, too.
    const reservation = await ledger.reserve(job ? await payerNow(caller) : caller, order)
    try {
      const answer = await answerWaited(asking, charge, ended, attendance)
      await attendance.attended()
      return { answer, reservation }
    } catch (error) {
      await reservation.release()
      throw error
    }
  }

  return {
    async answerOnce(ended: AbortSignal, attendance: Attendance, claim?: Claim): Promise<Delivered<Answer>> {
      const { answer, reservation } = await make(ended, attendance, claim?.charge)
      const units = charge.count(answer)
      // Where the store is away it will be charged.
      const isCharged = await reservation.settle(units)
      metrics.answered(endpoint, units)
      if (claim && isCharged && (await claim.conclude())) ledger.forget(caller.id, claim.charge)
      return { answer, units }
    },

    /** Not charged, and work all the same. */
    async answerAgain(ended: AbortSignal, attendance: Attendance): Promise<Delivered<Answer>> {
      await takeTokens(ended)
      return { answer: await answerWaited(asking, charge, ended, attendance), units: 0 }
    },
  }
}

/** An answer that nobody waits for any more is not charged. */
async function answerWaited<Answer>(
  { job }: Asking,
  charge: Charge<Answer>,
  ended: AbortSignal,
  { onProgress }: Attendance,
): Promise<Answer> {
  await job?.begin(ended)
  const answered = await charge.answer(ended, (progress) => {
    onProgress(progress)
    job?.onProgress(progress)
  })
  throwIfAborted(ended)
  return answered
}
