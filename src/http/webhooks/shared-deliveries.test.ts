import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, expect, it, vi } from 'vitest'
import type { EndedJob, KeptWebhook, KeptWebhooks } from './kept-webhooks.ts'
import { SharedDeliveries } from './shared-deliveries.ts'
import { WebhookSender } from './webhook-sender.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const closing: SharedDeliveries[] = []
afterEach(async () => {
  await Promise.all(closing.splice(0).map((each) => each.close()))
})

function jobOf(account: string, index = 0): EndedJob {
  return {
    id: `job_${account}_${index}`,
    account,
    status: 'succeeded',
    path: '/v1/systemone',
    createdAt: 1,
    endedAt: 2,
    webhook: `https://${account}.example/ended`,
  }
}

/** Webhooks that are due at the given times, of which whoever asks gets the oldest. */
class DueWebhooks implements KeptWebhooks {
  readonly left: KeptWebhook[] = []
  readonly #due: { webhook: KeptWebhook; at: number }[] = []

  add(job: EndedJob): void {
    this.#due.push({ webhook: { job, tries: 0 }, at: performance.now() })
  }

  async take(most: number): Promise<KeptWebhook[]> {
    const due = this.#due.filter(({ at }) => at <= performance.now()).toSorted((one, other) => one.at - other.at)
    const taken = due.slice(0, most)
    for (const each of taken) this.#due.splice(this.#due.indexOf(each), 1)
    return taken.map(({ webhook }) => webhook)
  }

  async leave(webhook: KeptWebhook, waitMs: number): Promise<void> {
    this.left.push(webhook)
    this.#due.push({ webhook, at: performance.now() + waitMs })
  }

  async forget(): Promise<void> {}
}

class Receiver extends WebhookSender {
  readonly answered: string[] = []

  constructor() {
    super({})
  }

  /** Those of the account `dead` are never answered. */
  override async send({ account, id }: EndedJob, signal: AbortSignal) {
    if (account !== 'dead') {
      this.answered.push(id)
      return 'delivered'
    }
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    return 'failed'
  }
}

function start(kept: KeptWebhooks, sender: WebhookSender): SharedDeliveries {
  const deliveries = new SharedDeliveries({ sender, delaysMs: [60_000], onEnded: () => {} }, kept)
  closing.push(deliveries)
  return deliveries
}

it('a try that is not answered ends in its time, whatever is collected as garbage meanwhile', async () => {
  const kept = new DueWebhooks()
  kept.add(jobOf('dead'))
  start(kept, new Receiver()).deliver()
  for (let second = 0; second < 18 && kept.left.length === 0; second++) {
    await sleep(1000)
    collectGarbage()
  }
  expect(kept.left).toEqual([{ job: jobOf('dead'), tries: 1 }])
}, 60_000)

it('those of an account whose receiver never answers keep nobody else waiting for long', async () => {
  const [kept, receiver] = [new DueWebhooks(), new Receiver()]
  for (let index = 0; index < 2000; index++) kept.add(jobOf('dead', index))
  kept.add(jobOf('alive'))
  start(kept, receiver).deliver()
  // The first tries tell that the account is slow; without that there would be eight rounds of them before.
  await expect.poll(() => receiver.answered, { timeout: 50_000 }).toEqual(['job_alive_0'])
}, 60_000)

it('those of a receiver that takes long use the places that nobody else wants', async () => {
  vi.useFakeTimers()
  try {
    const kept = new DueWebhooks()
    const receiver = new Receiver()
    vi.spyOn(receiver, 'send').mockImplementation(async ({ id }) => {
      await new Promise((resolve) => setTimeout(resolve, 6000))
      receiver.answered.push(id)
      return 'delivered'
    })
    for (let index = 0; index < 1000; index++) kept.add(jobOf('late', index))
    start(kept, receiver).deliver()
    // 256 in 6 seconds, then 128 in each 6; all at once put off, 640 were.
    await vi.advanceTimersByTimeAsync(70_000)
    expect(receiver.answered.length).toBeGreaterThan(900)
  } finally {
    vi.useRealTimers()
  }
})

it('those of a receiver that is not known yet go as soon as it has answered', async () => {
  vi.useFakeTimers()
  try {
    const kept = new DueWebhooks()
    const receiver = new Receiver()
    vi.spyOn(receiver, 'send').mockImplementation(async ({ id }) => {
      await new Promise((resolve) => setTimeout(resolve, 50))
      receiver.answered.push(id)
      return 'delivered'
    })
    for (let index = 0; index < 200; index++) kept.add(jobOf('alive', index))
    start(kept, receiver).deliver()
    await vi.advanceTimersByTimeAsync(2500)
    expect(receiver.answered).toHaveLength(200)
  } finally {
    vi.useRealTimers()
  }
})

it('those of many receivers that never answer are put off for long after five seconds', async () => {
  vi.useFakeTimers()
  try {
    const kept = new DueWebhooks()
    for (let index = 0; index < 1000; index++) {
      kept.add({ ...jobOf('dead', index), webhook: `https://customer-${index}.example/ended` })
    }
    start(kept, new Receiver()).deliver()
    await vi.advanceTimersByTimeAsync(7000)
    const soon = kept.left.length
    await vi.advanceTimersByTimeAsync(7000)
    expect(kept.left.length - soon).toBeLessThan(1000)
  } finally {
    vi.useRealTimers()
  }
})
