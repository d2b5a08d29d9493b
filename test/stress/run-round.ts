import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from '../../src/engine/index.ts'
import { TesseraError } from '../../src/errors/index.ts'
import { type Case, withoutTime } from './oracle.ts'
import { pick } from './pick.ts'
import { CRASH, PLANNED } from './unsteady-source.ts'
import type { Watchdog } from './watchdog.ts'

const LONGEST_WAIT_MS = 80
const CRASHES = 0.01
const ABORTS = 0.4
/** They take the time of many decisions. */
const PICTURES = 0.03

export interface Round {
  readonly engine: Engine
  readonly cases: readonly Case[]
  readonly watchdog: Watchdog
  readonly clients: number
  readonly seconds: number
  /** Whether its worker may be ended; in this thread that would end the run. */
  readonly mayCrash: boolean
}

/** How calls ended, by name of the outcome. */
export type Outcomes = Record<string, number>

/**
 * Clients that call at random, abort, and end the worker, until the engine is disposed in their midst.
 *
 * @throws an error for an answer that the quiet engine does not give, and for a call that failed without a reason
 */
export async function runRound(round: Round): Promise<Outcomes> {
  const { engine, watchdog, clients, seconds } = round
  const outcomes: Outcomes = {}
  const state = { isDisposed: false, hasCrashed: false }
  const client = async (name: string) => {
    while (!state.isDisposed) {
      const outcome = await watchdog.watch(`a call of ${name}`, callOnce(round, name, state))
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
      if (outcome === 'overloaded') await sleep(Math.random() * LONGEST_WAIT_MS)
    }
  }
  const running = Promise.all(Array.from({ length: clients }, (_, k) => client(`client ${k}`)))
  await Promise.race([sleep(seconds * 1000), running])
  state.isDisposed = true
  await watchdog.watch('dispose', engine.dispose())
  await running
  return outcomes
}

interface RoundState {
  isDisposed: boolean
  hasCrashed: boolean
}

async function callOnce(round: Round, client: string, state: RoundState): Promise<string> {
  const { engine, cases, mayCrash } = round
  const controller = new AbortController()
  if (Math.random() < ABORTS) {
    setTimeout(() => controller.abort(), Math.random() * LONGEST_WAIT_MS)
    if (Math.random() < 0.1) controller.abort()
  }
  const options = { signal: controller.signal, client }
  try {
    if (mayCrash && Math.random() < CRASHES) {
      state.hasCrashed = true
      await engine.decide({ state: CRASH, questions: { q: { type: 'noul', instructions: 'x' } } }, options)
      throw new Error('a worker answered instead of ending')
    }
    const kind = Math.random() < PICTURES ? 'generateImage' : 'decide'
    const chosen = pick(cases.filter((one) => one.kind === kind))
    const answer = withoutTime(await call(engine, chosen, options))
    if (answer !== chosen.answer) throw new Error(`${chosen.kind} answered otherwise than the quiet engine`)
    return 'answered'
  } catch (error) {
    return explain(error, controller.signal, state)
  }
}

type Options = { readonly signal: AbortSignal; readonly client: string }

function call(engine: Engine, { kind, request }: Case, options: Options): Promise<object> {
  return kind === 'decide' ? engine.decide(request, options) : engine.generateImage(request, { ...options, steps: 1 })
}

/** The name of an outcome that may be; anything else is thrown on. */
function explain(error: unknown, signal: AbortSignal, { isDisposed, hasCrashed }: RoundState): string {
  if (!TesseraError.isInstance(error)) throw error
  const { code, cause } = error
  if (code === 'overloaded') return code
  if (code === 'aborted' && signal.aborted) return code
  if (code === 'worker_crashed' && hasCrashed) return code
  if (code === 'engine_disposed' && isDisposed) return code
  if (code === 'internal_error' && (cause as Error | undefined)?.message === PLANNED) return 'opening failed'
  throw error
}
