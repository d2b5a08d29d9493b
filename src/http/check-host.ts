import { isIP } from 'node:net'
import { Refusal } from './refusal.ts'

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
