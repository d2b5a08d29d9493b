import { setTimeout as sleep } from 'node:timers/promises'
import type { Tenant } from './tenants.ts'

/** What a client wants to know, one question about each state; several are a batch. */
export interface Order {
  /** The `Idempotency-Key` of every try. */
  readonly key: string
  readonly tenant: Tenant
  readonly states: readonly string[]
}

export interface Answer {
  readonly id?: string
  readonly answers?: object
  readonly usage?: { readonly input_tokens: number }
  readonly error_type?: string
  /** Of a line that has no answer. */
  readonly status?: number
}

/** What came of a try. */
interface Try {
  /** 0 for a connection that broke. */
  readonly status: number
  /** One for each state, or the refusal. */
  readonly answers?: readonly Answer[]
}

interface Job {
  readonly status: string
  readonly result?: Answer
  readonly error?: Answer & { readonly status: number }
}

interface Line {
  readonly line: number
  readonly response?: Answer
  readonly error?: Answer
}

const QUESTIONS = { urgent: { type: 'noul', instructions: 'Is it urgent?' } }
const POLL_MS = 200

/** Sends requests to any front: plain ones, as many jobs, and batches; the last two have webhooks. */
export class Fronts {
  /** Ids of the jobs whose end a client was told of. */
  readonly ended = new Set<string>()
  readonly #urls: readonly string[]
  readonly #webhook: string

  constructor(urls: readonly string[], webhook: string) {
    this.#urls = urls
    this.#webhook = webhook
  }

  async send(order: Order): Promise<Try> {
    const isBatch = order.states.length > 1
    const isJob = isBatch || Math.random() < 0.5
    const lines = order.states.map((state, index) =>
      JSON.stringify({ ...(isBatch && { custom_id: String(index) }), state, questions: QUESTIONS }),
    )
    const headers = {
      ...authorize(order.tenant),
      'content-type': isBatch ? 'application/jsonl' : 'application/json',
      'idempotency-key': order.key,
      ...(isJob && { 'tessera-webhook': this.#webhook }),
      ...(isJob && !isBatch && { prefer: 'respond-async' }),
    }
    try {
      const path = isBatch ? '/v1/batches' : '/v1/systemone'
      const response = await fetch(`${this.#any()}${path}`, { method: 'POST', headers, body: lines.join('\n') })
      const answer = (await response.json()) as Answer
      if (response.status === 202) return await this.#follow(answer.id!, order)
      return { status: response.status, answers: [answer] }
    } catch {
      return { status: 0 }
    }
  }

  async #follow(id: string, { tenant, states }: Order): Promise<Try> {
    const headers = authorize(tenant)
    for (;;) {
      await sleep(POLL_MS)
      const response = await fetch(`${this.#any()}/v1/jobs/${id}`, { headers })
      const job = (await response.json()) as Job & Answer
      const { status, result, error } = job
      if (!response.ok) return { status: response.status, answers: [job as Answer] }
      if (status === 'succeeded' || status === 'failed') this.ended.add(id)
      if (status === 'succeeded')
        return states.length > 1 ? this.#results(id, headers) : { status: 200, answers: [result!] }
      if (status === 'failed') {
        // The next try is another job.
        await fetch(`${this.#any()}/v1/jobs/${id}`, { method: 'DELETE', headers })
        return { status: error!.status, answers: [error!] }
      }
    }
  }

  /** The lines of a batch, in the order in which they were asked. */
  async #results(id: string, headers: Readonly<Record<string, string>>): Promise<Try> {
    const response = await fetch(`${this.#any()}/v1/batches/${id}/results`, { headers })
    if (!response.ok) return { status: response.status, answers: [(await response.json()) as Answer] }
    const lines = (await response.text())
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text) as Line)
    const inOrder = lines.toSorted((a, b) => a.line - b.line)
    return { status: 200, answers: inOrder.map((line) => (line.response ?? line.error)!) }
  }

  #any(): string {
    return this.#urls[Math.floor(Math.random() * this.#urls.length)]!
  }
}

function authorize(tenant: Tenant): { readonly authorization: string } {
  return { authorization: `Bearer ${tenant}` }
}
