import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, Fronts, type Order } from './fronts.ts'
import { TENANTS, type Tenant } from './tenants.ts'

interface Counts {
  requests: number
  tokens: number
}

/** Short ones, as a worker with a model computes them on a shared processor. */
const TEXTS = [
  'Where is my parcel?',
  'I was charged twice and want my money back.',
  'The app crashes when I log in.',
  'Thank you, all is well.',
]
const LONGEST_PAUSE_MS = 1000
/** One request in so many is a batch. */
const BATCH_EVERY = 20
const BATCH_LINES = 10

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
  /** Batches that were answered, and lines of them that ended with an error. */
  readonly batches = { answered: 0, failedLines: 0 }
  readonly #fronts: Fronts
  readonly #isCounted: boolean
  readonly #said = new Map<string, string>()
  readonly #pending = new Map<string, Promise<void>>()
  readonly #tries = new Map<string, string>()
  #stopped = false

  /**
   * @param webhook address that jobs and batches tell of their end
   * @param isCounted whether the engine counts characters; else it has a model
   */
  constructor(urls: readonly string[], webhook: string, isCounted: boolean) {
    this.#fronts = new Fronts(urls, webhook)
    this.#isCounted = isCounted
  }

  /** Ids of the jobs whose end a client was told of. */
  get ended(): ReadonlySet<string> {
    return this.#fronts.ended
  }

  /** What is not answered yet, with the last thing that was known of it. */
  get waiting(): string[] {
    return [...this.#pending.keys()].map((key) => `${key} ${this.#tries.get(key)}`)
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
      await asked.finally(() => {
        this.#pending.delete(key)
        this.#tries.delete(key)
      })
    }
  }

  async #ask(key: string): Promise<void> {
    const isBatch = Math.random() < 1 / BATCH_EVERY
    const states = Array.from({ length: isBatch ? BATCH_LINES : 1 }, () => this.#write())
    const order: Order = { key, tenant: pick(TENANTS), states }
    const began = performance.now()
    for (let pause = 50; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      const { status, answers = [] } = await this.#fronts.send(order)
      if (status === 200) {
        this.#take(order, answers)
        this.latencies.push(performance.now() - began)
        return
      }
      this.#tries.set(key, `${new Date().toISOString()} ${states.length} ${status} ${answers[0]?.error_type}`)
      this.#refused(status, answers[0]?.error_type)
      await sleep(pause)
    }
  }

  #write(): string {
    return this.#isCounted ? 'x'.repeat(1 + Math.floor(Math.random() * 1000)) : pick(TEXTS)
  }

  #refused(status: number, type: string | undefined): void {
    const refusal = [status, type].filter((part) => part !== undefined).join(' ')
    this.refusals.set(refusal, (this.refusals.get(refusal) ?? 0) + 1)
    if (status > 0 && (status <= 500 || type === undefined)) this.wrong.push(`status ${status}, ${type}`)
  }

  #take({ tenant, states }: Order, answers: readonly Answer[]): void {
    if (states.length > 1) this.batches.answered++
    if (answers.length !== states.length) this.wrong.push(`${answers.length} answers to ${states.length} questions`)
    states.forEach((state, index) => {
      const answer = answers[index]
      if (answer?.error_type !== undefined) {
        // A line that was refused for good costs nothing; a plain request is sent again.
        this.batches.failedLines++
        this.#refused(answer.status ?? 0, `${answer.error_type} (line)`)
        return
      }
      const tokens = answer?.usage?.input_tokens ?? 0
      this.#check(state, tokens, answer)
      this.answered[tenant].requests++
      this.answered[tenant].tokens += tokens
    })
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
}

function pick<Value>(values: readonly Value[]): Value {
  return values[Math.floor(Math.random() * values.length)]!
}
