import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { lookupPublic, PrivateAddressError } from './lookup-public.ts'
import { isPrivateHost } from './public-address.ts'

export interface WebhookPost {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Whether it may go to addresses that are not public. */
  readonly allowsPrivate: boolean
  readonly signal: AbortSignal
}

/**
 * Sends a webhook. The name is resolved once, and the connection made to an address that was checked. Redirects are not followed.
 *
 * @returns the status of the answer, whose body is not read
 * @throws PrivateAddressError; what the connection throws
 */
export function postWebhook({ url, headers, body, allowsPrivate, signal }: WebhookPost): Promise<number> {
  const { protocol, hostname } = new URL(url)
  return new Promise((done, fail) => {
    // An address has no name to look up.
    if (!allowsPrivate && isPrivateHost(hostname)) return fail(new PrivateAddressError())
    const send = protocol === 'https:' ? requestHttps : requestHttp
    const lookup = allowsPrivate ? {} : { lookup: lookupPublic(signal) }
    const length = { 'content-length': Buffer.byteLength(body) }
    // Without an agent every webhook has a connection of its own, which was checked.
    const request = send(url, { method: 'POST', headers: { ...headers, ...length }, agent: false, signal, ...lookup })
    request.on('error', fail)
    request.on('response', (response) => {
      response.destroy()
      done(response.statusCode!)
    })
    // A receiver that answers with another protocol (101) gets no response event and no error. After one of those it changes nothing.
    request.on('close', () => fail(new Error('the receiver gave no answer')))
    request.end(body)
  })
}
