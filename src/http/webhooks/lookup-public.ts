import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { isPublicAddress } from './public-address.ts'

/** For an address that webhooks do not go to. */
export class PrivateAddressError extends Error {}

/** The second try is waited for twice as long, and both together, at three servers, less long than a webhook may take. */
const ASKING = { timeout: 1500, tries: 2 }

/**
 * Looks names up in DNS alone. Look-ups of the system, which know `/etc/hosts` and domains to search too, have a few threads that
 * all of the process shares, with files: names whose servers never answer would keep everyone waiting.
 *
 * A name that has an address which is not public is refused: another of its addresses may be a pretext.
 *
 * @param signal ends it
 */
export function lookupPublic(signal: AbortSignal): LookupFunction {
  return async (hostname, { all }, callback) => {
    let addresses: LookupAddress[]
    try {
      addresses = await findPublic(hostname, signal)
    } catch (error) {
      return callback(error as Error, [])
    }
    if (all) return callback(null, addresses)
    callback(null, addresses[0]!.address, addresses[0]!.family)
  }
}

/** The older family first: where there is no way to it that is known at once. */
async function findPublic(hostname: string, signal: AbortSignal): Promise<LookupAddress[]> {
  const resolver = new Resolver(ASKING)
  const stop = () => resolver.cancel()
  signal.addEventListener('abort', stop, { once: true })
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  signal.removeEventListener('abort', stop)
  const addresses = [...toAddresses(four, 4), ...toAddresses(six, 6)]
  if (!addresses.every(({ address }) => isPublicAddress(address))) throw new PrivateAddressError()
  // A name may well have addresses of one family only.
  if (addresses.length === 0) throw four.status === 'rejected' ? four.reason : new Error('the name has no address')
  return addresses
}

function toAddresses(found: PromiseSettledResult<string[]>, family: 4 | 6): LookupAddress[] {
  return found.status === 'fulfilled' ? found.value.map((address) => ({ address, family })) : []
}
