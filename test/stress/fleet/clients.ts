import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { TENANTS, type Tenant } from './tenants.ts'

interface Counts {
  requests: number
  tokens: number
}

const QUESTIONS = { urgent: { type: 'noul', instructions: 'Is it urgent?' } }
/** Short ones, as a worker with a model computes them on a shared processor. */
const TEXTS = [
  'Where is my parcel?',
  'I was charged twice and want my money back.',
  'The app crashes when I log in.',
  'Thank you, all is well.',
]
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
  /** How often each refusal came, by status and type; 0 for a connection that broke. */
  readonly refusals = new Map<string, number>()
  readonly wrong: string[] = []
  readonly #urls: readonly string[]
  readonly #isCounted: boolean
  readonly #said = new Map<string, string>()
  readonly #pending = new Map<string, Promise<void>>()
  #stopped = false

  /** @param isCounted whether the engine counts characters; else it has a model */
  constructor(urls: readonly string[], isCounted: boolean) {
    this.#urls = urls
    this.#isCounted = isCounted
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
    const tenant = pick(TENANTS)
    const state = this.#isCounted ? 'x'.repeat(1 + Math.floor(Math.random() * 1000)) : pick(TEXTS)
    const began = performance.now()
    for (let pause = 50; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      const { status, answer } = await this.#send(key, tenant, state)
      if (status === 200) {
        const tokens = answer?.usage?.input_tokens ?? 0
        this.#check(state, tokens, answer)
        this.answered[tenant].requests++
        this.answered[tenant].tokens += tokens
        this.latencies.push(performance.now() - began)
        return
      }
      const refusal = [status, answer?.error_type].filter((part) => part !== undefined).join(' ')
      this.refusals.set(refusal, (this.refusals.get(refusal) ?? 0) + 1)
      if (status > 0 && (status <= 500 || answer?.error_type === undefined))
        this.wrong.push(`status ${status}, ${answer?.error_type}`)
      await sleep(pause)
    }
  }

  /** The engine that counts says how long its text was; a model says the same of a text at all times. */
  #check(state: string, tokens: number, answer: Answer | undefined): void {
    if (this.#isCounted) {
      if (tokens !== state.length) this.wrong.push(`${tokens} tokens for ${state.length}`)
      return
    }
    const said = JSON.stringify(answer?.answers)
    const before = this.#said.get(state) ?? said
    this.#said.set(state, before)
    if (tokens === 0 || said !== before) this.wrong.push(`${said} after ${before}`)
  }

  /** Half of the requests are jobs, which any front is asked for. */
  async #send(key: string, tenant: Tenant, state: string): Promise<Try> {
    const headers = { authorization: `Bearer ${tenant}`, 'content-type': 'application/json', 'idempotency-key': key }
    try {
      const body = JSON.stringify({ state, questions: QUESTIONS })
      const prefer = Math.random() < 0.5 ? { prefer: 'respond-async' } : {}
      const sent = { method: 'POST', headers: { ...headers, ...prefer }, body }
      const response = await fetch(`${this.#any()}/v1/systemone`, sent)
      const answer = (await response.json()) as Answer
      return response.status === 202
        ? await this.#follow(answer.id!, headers.authorization)
        : { status: response.status, answer }
    } catch {
      return { status: 0 }
    }
  }

  async #follow(id: string, authorization: string): Promise<Try> {
    for (;;) {
      await sleep(POLL_MS)
      const response = await fetch(`${this.#any()}/v1/jobs/${id}`, { headers: { authorization } })
      const job = (await response.json()) as Job & Answer
      const { status, result, error } = job
      if (!response.ok) return { status: response.status, answer: job }
      if (status === 'succeeded') return { status: 200, answer: result! }
      if (status === 'failed') {
        // The next try is another job.
        await fetch(`${this.#any()}/v1/jobs/${id}`, { method: 'DELETE', headers: { authorization } })
        return { status: error!.status, answer: error! }
      }
    }
  }

  #any(): string {
    return this.#urls[Math.floor(Math.random() * this.#urls.length)]!
  }
}

interface Answer {
  readonly id?: string
  readonly answers?: object
  readonly usage?: { readonly input_tokens: number }
  readonly error_type?: string
}

interface Job {
  readonly status: string
  readonly result?: Answer
  readonly error?: Answer & { readonly status: number }
}

interface Try {
  /** 0 for a connection that broke. */
  readonly status: number
  readonly answer?: Answer
}

function pick<Value>(values: readonly Value[]): Value {
  return values[Math.floor(Math.random() * values.length)]!
}
