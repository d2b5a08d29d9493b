import { isIP } from 'node:net'
import * as z from 'zod'
import { mustBe } from '../options/index.ts'
import { Refusal } from './refusal.ts'

const NAME = mustBe('the name of a host without scheme, port or path, such as tessera.example.com')
/** A name with a port, or in a URL, would be that of no request. */
export const HOSTS = z.array(z.string(NAME).regex(/^[^\s:/]+$/, NAME), mustBe('an array of names of hosts'))

/**
 * Refuses a request to a server without keys that names a host which may be anyone's: a web page can have its own name
 * point to this machine and then read what the server answers. Addresses and `localhost` cannot be taken over so.
 *
 * @param hosts Further names, without a port.
 * @throws Refusal (421)
 */
export function checkHost(headers: Headers, hosts: readonly string[]): void {
  const header = headers.get('host')
  // A request that was made in this process has none.
  if (header === null) return
  const name = header.replace(/:\d+$/, '').toLowerCase()
  if (name === 'localhost' || name.endsWith('.localhost')) return
  if (isIP(name) || (name.startsWith('[') && isIP(name.slice(1, -1)))) return
  if (hosts.some((host) => host.toLowerCase() === name)) return
  throw new Refusal(
    421,
    'invalid_request',
    'Host: a server without keys answers for localhost and for addresses; its option "hosts" names others',
  )
}
