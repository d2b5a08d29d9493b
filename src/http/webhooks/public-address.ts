import { BlockList, isIP } from 'node:net'

/** Addresses that are not of the public internet, as IANA's registries of special purposes have them. */
const IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
]

/** All public ones are of this network; in it are tunnels, which may lead anywhere, and examples. */
const GLOBAL_IPV6 = ['2000::', 3] as const
const IPV6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

const special = new BlockList()
for (const [network, bits] of IPV4) special.addSubnet(network, bits, 'ipv4')
for (const [network, bits] of IPV6) special.addSubnet(network, bits, 'ipv6')
const global = new BlockList()
global.addSubnet(...GLOBAL_IPV6, 'ipv6')

/** Whether an IP address is one of the public internet: not private, of this machine or its link, or of a special purpose. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address)
  if (version === 4) return !special.check(address, 'ipv4')
  return version === 6 && global.check(address, 'ipv6') && !special.check(address, 'ipv6')
}

/**
 * Whether the host of a URL is an address that is not public, or a name of this machine, of which no server of names tells. What others
 * stand for is known when they are looked up.
 */
export function isPrivateHost(hostname: string): boolean {
  if (/(^|\.)localhost\.?$/.test(hostname)) return true
  const literal = hostname.replace(/^\[|\]$/g, '')
  return isIP(literal) !== 0 && !isPublicAddress(literal)
}
