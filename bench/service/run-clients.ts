import { setTimeout as sleep } from 'node:timers/promises'

export interface Answers {
  /** Milliseconds to each answer, in the order they came. */
  readonly times: number[]
  /** Those of them that came within the time, for rates: the time that later ones took is in no measured second. */
  inTime: number
  /** How often each status came; 0 for a connection that failed. */
  readonly statuses: Record<number, number>
  /** Requests that their client gave up. */
  aborted: number
  /** Input tokens of all answers. */
  tokens: number
}

interface Load {
  readonly url: string
  readonly keys: readonly string[]
  readonly clients: number
  readonly seconds: number
  /** After how many milliseconds a client gives a request up; undefined where it waits. */
  patience(client: number, request: number): number | undefined
}

const QUESTIONS = {
  urgent: { type: 'noul', instructions: 'Is this urgent?' },
  team: { type: 'choice', criteria: { billing: 'Payments and refunds', delivery: 'Parcels', technical: 'The app' } },
  mood: { type: 'score', instructions: 'How angry is the writer?', criteria: ['calm', 'annoyed', 'furious'] },
}

/** Clients that each send one request after the other until the time is over, and wait when they are told to. */
export async function runClients({ url, keys, clients, seconds, patience }: Load): Promise<Answers> {
  const answers: Answers = { times: [], inTime: 0, statuses: {}, aborted: 0, tokens: 0 }
  const end = performance.now() + 1000 * seconds

  async function ask(client: number, request: number): Promise<number> {
    const wait = patience(client, request)
    const started = performance.now()
    try {
      const response = await fetch(`${url}/v1/systemone`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${keys[client % keys.length]!}` },
        body: JSON.stringify({
          state: `Ticket ${client}-${request}: the parcel is late. `.repeat(1 + (client % 8)),
          questions: QUESTIONS,
        }),
        ...(wait !== undefined && { signal: AbortSignal.timeout(wait) }),
      })
      const body = (await response.json()) as { usage?: { input_tokens: number } }
      answers.statuses[response.status] = (answers.statuses[response.status] ?? 0) + 1
      if (response.status !== 200) return Number(response.headers.get('retry-after-ms') ?? 0)
      const answered = performance.now()
      answers.times.push(answered - started)
      if (answered <= end) answers.inTime++
      answers.tokens += body.usage!.input_tokens
    } catch (error) {
      if (error instanceof Error && error.name === 'TimeoutError') answers.aborted++
      else answers.statuses[0] = (answers.statuses[0] ?? 0) + 1
    }
    return 0
  }

  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (let request = 0; performance.now() < end; request++) await sleep(await ask(client, request))
    }),
  )
  return answers
}
