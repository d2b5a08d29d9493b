import { startTinyServer } from '../helpers/tiny-server.ts'

export const KEY = 'conformance-key'
export const NOUL = { type: 'noul', instructions: 'Is it urgent?' } as const
export const CHOICE = { type: 'choice', instructions: 'Who?', criteria: { billing: 'Payments', tech: null } } as const
export const SCORE = { type: 'score', instructions: 'How angry?', criteria: ['calm', 'annoyed', 'furious'] } as const

export interface Reply {
  readonly status: number
  readonly headers: Headers
  /** As it came, for names that JavaScript would reorder or hide. */
  readonly text: string
  // Each test knows what it looks for; the shapes have schemas of their own.
  readonly body: {
    readonly model: string
    readonly answers: Readonly<Record<string, Answer>>
    readonly usage: { readonly input_tokens: number; readonly output_tokens: number }
    readonly latency_ms: number
    readonly message: string
    readonly error_type: string
    readonly detail: readonly { readonly loc: readonly string[] }[]
  }
}

interface Answer {
  readonly type: string
  readonly noul: number
  readonly choice: string
  readonly score: number
  readonly legend: Readonly<Record<string, unknown>>
  readonly probabilities: Readonly<Record<string, number>>
  readonly confidence: number
  readonly decided: boolean
}

/** A running service for the tests of a file, and how to talk to it. */
export async function useService() {
  const tiny = await startTinyServer({ keys: [{ key: KEY, scopes: ['decide', 'images', 'metrics'] }] })

  async function send(path: string, init: RequestInit): Promise<Reply> {
    const response = await fetch(tiny.url + path, { redirect: 'manual', ...init })
    const text = await response.text()
    const { status, headers } = response
    const isJson = headers.get('content-type')?.startsWith('application/json')
    return { status, headers, text, body: isJson ? (JSON.parse(text) as Reply['body']) : ({} as Reply['body']) }
  }

  return {
    send,
    /** Posts a value as JSON, or a text as it is, with the right key. */
    post: (body: unknown, init: RequestInit & { headers?: Record<string, string> } = {}) =>
      send('/v1/systemone', {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        ...init,
        headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}`, ...init.headers },
      }),
    get: (path: string) => send(path, { headers: { authorization: `Bearer ${KEY}` } }),
  }
}

export const ask = (question: unknown, state: unknown = 'Charged twice') => ({ state, questions: { q: question } })

export const named = (count: number, value: unknown): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, value]))

export const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)
