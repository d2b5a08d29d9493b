import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { TENANTS, type Tenant } from './tenants.ts'

interface Counts {
  requests: number
  tokens: number
}

const QUESTIONS = { urgent: { type: 'noul', instructions: 'Is it urgent?' } }
const LONGEST_PAUSE_MS = 1000
const POLL_MS = 200

/** Clients that send one request after another to any front, each until it is answered. */
export class Clients {
  /** What each account was answered. */
  readonly answered: Record<Tenant, Counts> = Object.fromEntries(
    TENANTS.map((tenant) => [tenant, { requests: 0, tokens: 0 }]),
  ) as Record<Tenant, Counts>
  /** Milliseconds to each answer, all tries together. */
  readonly latencies: number[] = []
  /** How often each refusal came, by status; 0 for a connection that broke. */
  readonly refusals = new Map<number, number>()
  readonly wrong: string[] = []
  readonly #urls: readonly string[]
  readonly #pending = new Map<string, Promise<void>>()
  #stopped = false

  constructor(urls: readonly string[]) {
    this.#urls = urls
  }

  /** Resolves when what is asked at this moment is answered. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending.values())
  }

  /** Sends no more, and resolves when all is answered. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.settled()
  }

  async run(): Promise<void> {
    while (!this.#stopped) {
      const key = randomUUID()
      const asked = this.#ask(key)
      this.#pending.set(key, asked)
      await asked.finally(() => this.#pending.delete(key))
    }
  }

  async #ask(key: string): Promise<void> {
    const tenant = TENANTS[Math.floor(Math.random() * TENANTS.length)]!
    const state = 'x'.repeat(1 + Math.floor(Math.random() * 1000))
    const began = performance.now()
    for (let pause = 50; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      const { status, tokens } = await this.#send(key, tenant, state)
      if (status === 200) {
        if (tokens !== state.length) this.wrong.push(`${tokens} tokens for ${state.length}`)
        this.answered[tenant].requests++
        this.answered[tenant].tokens += state.length
        this.latencies.push(performance.now() - began)
        return
      }
      this.refusals.set(status, (this.refusals.get(status) ?? 0) + 1)
      if (status > 0 && status < 500) this.wrong.push(`status ${status}`)
      await sleep(pause)
    }
  }

  /** Half of the requests are jobs, which any front is asked for. */
  async #send(key: string, tenant: Tenant, state: string): Promise<{ status: number; tokens?: number }> {
    const headers = { authorization: `Bearer ${tenant}`, 'content-type': 'application/json', 'idempotency-key': key }
    try {
      const body = JSON.stringify({ state, questions: QUESTIONS })
      const prefer = state.length % 2 === 0 ? { prefer: 'respond-async' } : {}
      const sent = { method: 'POST', headers: { ...headers, ...prefer }, body }
      const response = await fetch(`${this.#any()}/v1/systemone`, sent)
      const answer = (await response.json()) as Answer
      return response.status === 202
        ? await this.#follow(answer.id, headers.authorization)
        : toTry(response.status, answer)
    } catch {
      return { status: 0 }
    }
  }

  async #follow(id: string, authorization: string): Promise<{ status: number; tokens?: number }> {
    for (;;) {
      await sleep(POLL_MS)
      const response = await fetch(`${this.#any()}/v1/jobs/${id}`, { headers: { authorization } })
      const { status, result, error } = (await response.json()) as Job
      if (!response.ok) return { status: response.status }
      if (status === 'succeeded') return toTry(200, result!)
      if (status === 'failed') {
        // The next try is another job.
        await fetch(`${this.#any()}/v1/jobs/${id}`, { method: 'DELETE', headers: { authorization } })
        return { status: error!.status }
      }
    }
  }

  #any(): string {
    return this.#urls[Math.floor(Math.random() * this.#urls.length)]!
  }
}

interface Answer {
  readonly id: string
  readonly usage?: { readonly input_tokens: number }
}

interface Job {
  readonly status: string
  readonly result?: Answer
  readonly error?: { readonly status: number }
}

function toTry(status: number, { usage }: Answer): { status: number; tokens?: number } {
  return { status, ...(usage && { tokens: usage.input_tokens }) }
}
