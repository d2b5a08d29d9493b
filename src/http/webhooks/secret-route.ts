import * as z from 'zod'
import { createJsonResponse } from '../json-response.ts'
import type { Route } from '../route.ts'
import type { Webhooks } from './webhooks.ts'

/** Body of `GET /v1/webhook-secret`. */
export const webhookSecretSchema = z.object({
  object: z.literal('webhook_secret'),
  /** As Standard Webhooks write them, the newest first; none where this server sends no webhooks. */
  secrets: z.array(z.string()),
})

/** `GET /v1/webhook-secret`: what an account checks the webhooks of its jobs with. */
export function createWebhookSecretRoute(webhooks: Pick<Webhooks, 'secretsOf'>): Route {
  return {
    method: 'GET',
    path: '/v1/webhook-secret',
    access: 'key',
    dialect: 'openai',
    handle: ({ caller }) =>
      createJsonResponse({
        object: 'webhook_secret',
        secrets: webhooks.secretsOf(caller.id),
      } satisfies z.output<typeof webhookSecretSchema>),
  }
}
