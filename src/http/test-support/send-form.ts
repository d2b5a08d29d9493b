import { createServer, type ServerOptions } from '../index.ts'
import { json } from './requests.ts'
import type { StubEngine } from './stub-engine.ts'

/** Sends bodies to the edits of a server over a stub. */
export function formSender(stub: () => StubEngine) {
  async function send(
    body: BodyInit,
    headers: Record<string, string> = {},
    options: Omit<ServerOptions, 'engine'> = {},
  ) {
    const { fetch } = createServer({ engine: stub().engine, ...options })
    const init = { method: 'POST', body, headers, duplex: 'half' }
    const response = await fetch(new Request('http://server/v1/images/edits', init as RequestInit))
    return { status: response.status, body: await json(response) }
  }

  /** Sends a form as it goes over the wire, with lines as they are given. */
  const sendRaw = (lines: readonly string[], boundary = 'b', headers: Record<string, string> = {}) =>
    send(lines.join('\r\n'), { 'content-type': `multipart/form-data; boundary=${boundary}`, ...headers })

  return { send, sendRaw }
}

/** The lines of a field in a form. */
export const part = (name: string, value: string, boundary = 'b') => [
  `--${boundary}`,
  `Content-Disposition: form-data; name="${name}"`,
  '',
  value,
]

export const picture = (text: string) => new Blob([text], { type: 'image/png' })
