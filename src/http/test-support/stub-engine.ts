import { AbortedError } from '../../errors/index.ts'
import type { Engine } from '../../engine/index.ts'
import { type DecisionResponse, parseDecisionRequest, type Question } from '../../schemas/index.ts'
import type { ServerOptions } from '../server.ts'

export interface StubEngine {
  readonly engine: ServerOptions['engine']
  /** `client` of every call to `decide`. */
  readonly clients: (string | undefined)[]
  readonly counts: { decided: number; aborted: number; running: number }
  /** Calls wait until this resolves. */
  gate: Promise<void>
  /** Thrown by `decide` instead of an answer. */
  failure: unknown
}

/**
 * An engine that answers evenly at once and counts one token for every character of the state. It can be held, or
 * made to fail.
 */
export function createStubEngine(): StubEngine {
  const counts = { decided: 0, aborted: 0, running: 0 }
  const stub: StubEngine = {
    clients: [],
    counts,
    gate: Promise.resolve(),
    failure: undefined,
    engine: {
      async decide(body, call) {
        const request = parseDecisionRequest(body)
        stub.clients.push(call?.client)
        counts.running++
        try {
          await Promise.race([stub.gate, aborted(call?.signal)])
        } catch (error) {
          counts.aborted++
          throw error
        } finally {
          counts.running--
        }
        if (stub.failure !== undefined) throw stub.failure
        counts.decided++
        const response: DecisionResponse = {
          model: 'stub',
          answers: Object.fromEntries(
            Object.entries(request.questions).map(([name, question]) => [name, answerEvenly(question)]),
          ),
          usage: { input_tokens: JSON.stringify(request.state).length, output_tokens: 0 },
          latency_ms: 0,
        }
        return response as Awaited<ReturnType<Engine['decide']>> as never
      },
      async countTokens(body) {
        const tokens = JSON.stringify(parseDecisionRequest(body).state).length
        return { input_tokens: tokens, state: tokens, questions: {} }
      },
      models: async () => [
        { name: 'decide-latest', id: 'stub', available: true },
        { name: 'elsewhere', available: false, reason: 'not installed' },
      ],
    },
  }
  return stub
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(new AbortedError(undefined, { cause: signal?.reason }))
    if (signal?.aborted) fail()
    else signal?.addEventListener('abort', fail, { once: true })
  })
}

function answerEvenly(question: Question): DecisionResponse['answers'][string] {
  if (question.type === 'noul') return { type: 'noul', noul: 0.5 }
  const names =
    question.type === 'choice' ? Object.keys(question.criteria) : question.criteria.map((_, index) => String(index))
  const probabilities = Object.fromEntries(names.map((name) => [name, 1 / names.length]))
  if (question.type === 'choice') return { type: 'choice', choice: names[0]!, probabilities, confidence: 0 }
  return {
    type: 'score',
    score: (names.length - 1) / 2,
    legend: Object.fromEntries(question.criteria.entries()),
    probabilities,
    confidence: 0,
  }
}
