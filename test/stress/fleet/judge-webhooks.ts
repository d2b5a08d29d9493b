import { setTimeout as sleep } from 'node:timers/promises'
import type { WebhookReceiver } from '../../helpers/webhook-receiver.ts'

const MOST_WAIT_MS = 180_000

/** What came of the webhooks of jobs that are over; those that are missing are waited for. */
export async function judgeWebhooks({ received }: WebhookReceiver, ended: ReadonlySet<string>) {
  const missing = () => {
    const told = new Set(received.map(({ body }) => (body['data'] as { readonly id: string }).id))
    return [...ended].filter((id) => !told.has(id)).length
  }
  const end = performance.now() + MOST_WAIT_MS
  while (missing() > 0 && performance.now() < end) await sleep(1000)
  return {
    jobs: ended.size,
    missing: missing(),
    tries: received.length,
    different: new Set(received.map(({ id }) => id)).size,
    unsigned: received.filter(({ isSigned }) => !isSigned).length,
  }
}
