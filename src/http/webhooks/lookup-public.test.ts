import { createSocket, type Socket } from 'node:dgram'
import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { setMaxListeners } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { lookupPublic, PrivateAddressError } from './lookup-public.ts'

const TYPES = { 1: 'A', 28: 'AAAA' } as const
/** What the server of names says; it has no answer for other names. */
const NAMES: Readonly<Record<string, Partial<Record<'A' | 'AAAA', string>>>> = {
  'both.test': { A: '8.8.8.8', AAAA: '2606:4700:4700:0:0:0:0:1111' },
  'four.test': { A: '8.8.4.4' },
  'six.test': { AAAA: '2606:4700:4700:0:0:0:0:1001' },
  'private.test': { A: '10.0.0.5' },
  'pretext.test': { A: '8.8.8.8', AAAA: 'fd12:0:0:0:0:0:0:1' },
  'none.test': {},
}

let names: Socket
let asked: string[]
beforeEach(async () => {
  asked = []
  names = createSocket('udp4', (query, { port, address }) => {
    const answer = answerTo(query)
    if (answer) names.send(answer, port, address)
  })
  await new Promise<void>((resolve) => names.bind(0, '127.0.0.1', resolve))
  const server = `127.0.0.1:${(names.address() as AddressInfo).port}`
  const told = new WeakSet<Resolver>()
  for (const method of ['resolve4', 'resolve6'] as const) {
    const resolve = Resolver.prototype[method] as (name: string) => Promise<string[]>
    vi.spyOn(Resolver.prototype, method).mockImplementation(function (this: Resolver, name: string) {
      if (!told.has(this)) this.setServers([server])
      told.add(this)
      return resolve.call(this, name) as never
    })
  }
})
afterEach(() => {
  vi.restoreAllMocks()
  names.close()
})

/** One question in, its answers out. */
function answerTo(query: Buffer): Buffer | undefined {
  const labels: string[] = []
  let end = 12
  for (; query[end] !== 0; end += 1 + query[end]!) labels.push(query.toString('latin1', end + 1, end + 1 + query[end]!))
  const name = labels.join('.').toLowerCase()
  asked.push(name)
  const known = NAMES[name]
  if (known === undefined) return undefined
  const type = query.readUInt16BE(end + 1)
  const address = known[TYPES[type as keyof typeof TYPES]]
  const data = address === undefined ? undefined : toBytes(address)
  const head = Buffer.from([query[0]!, query[1]!, 0x81, 0x80, 0, 1, 0, data ? 1 : 0, 0, 0, 0, 0])
  const record = data ? [Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length]), data] : []
  return Buffer.concat([head, query.subarray(12, end + 5), ...record])
}

function toBytes(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number))
  return Buffer.from(
    address
      .split(':')
      .map((part) => part.padStart(4, '0'))
      .join(''),
    'hex',
  )
}

function find(name: string, { signal = new AbortController().signal, all = true } = {}) {
  return new Promise<string[]>((resolve, reject) => {
    lookupPublic(signal)(name, { all }, (error, found: string | LookupAddress[], family) => {
      if (error) reject(error)
      else if (typeof found === 'string') resolve([`${found} ${family}`])
      else resolve(found.map((one) => `${one.address} ${one.family}`))
    })
  })
}

it('a name has the addresses of both families, or of the one that it has', async () => {
  expect(await find('both.test')).toEqual(['8.8.8.8 4', '2606:4700:4700::1111 6'])
  expect(await find('four.test')).toEqual(['8.8.4.4 4'])
  expect(await find('six.test')).toEqual(['2606:4700:4700::1001 6'])
  expect(await find('both.test', { all: false })).toEqual(['8.8.8.8 4'])
})

it('a name that has an address which is not public is refused', async () => {
  for (const name of ['private.test', 'pretext.test']) {
    await expect(find(name)).rejects.toBeInstanceOf(PrivateAddressError)
  }
})

it('a name without addresses is an error of its own', async () => {
  await expect(find('none.test')).rejects.toMatchObject({ code: 'ENODATA' })
})

it('names that are never answered keep nobody waiting, and end with their signal', async () => {
  const controller = new AbortController()
  const { signal } = controller
  setMaxListeners(0, signal)
  const silent = Array.from({ length: 40 }, (_, index) => find(`silent${index}.test`, { signal }).catch(String))
  await expect.poll(() => new Set(asked).size).toBe(40)
  expect(await find('four.test')).toEqual(['8.8.4.4 4'])
  expect(await Promise.race([Promise.any(silent), 'waiting'])).toBe('waiting')
  controller.abort()
  expect(await Promise.all(silent)).toEqual(silent.map(() => expect.stringContaining('ECANCELLED')))
})
