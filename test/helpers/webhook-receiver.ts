import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedWebhook {
  readonly id: string
  readonly isSigned: boolean
  readonly body: Record<string, unknown>
}

/** Takes webhooks on this machine, and checks their signatures by the secrets of accounts. */
export class WebhookReceiver {
  readonly received: ReceivedWebhook[] = []
  /** What is answered to the next ones, else 200; those that are held get no answer. */
  readonly answers: (number | 'hold')[] = []
  /** As `GET /v1/webhook-secret` gives them. */
  readonly secrets: string[] = []
  readonly #server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      this.#note(request.headers as Record<string, string>, body)
      const answer = this.answers.shift() ?? 200
      if (answer !== 'hold') response.writeHead(answer).end()
    })
  })

  /** @returns where it listens */
  async listen(host = '127.0.0.1'): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, host, resolve))
    return `http://${host}:${(this.#server.address() as AddressInfo).port}`
  }

  /** Breaks what is held, and forgets all. */
  reset(): void {
    this.#server.closeAllConnections()
    this.received.length = 0
    this.answers.length = 0
  }

  close(): void {
    this.#server.close()
  }

  #note(sent: Readonly<Record<string, string>>, body: string): void {
    const [id = '', timestamp = ''] = [sent['webhook-id'], sent['webhook-timestamp']]
    const isSigned = this.secrets.some((secret) => {
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
      const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
      return sent['webhook-signature'] === `v1,${signature}`
    })
    this.received.push({ id, isSigned, body: JSON.parse(body) as Record<string, unknown> })
  }
}
