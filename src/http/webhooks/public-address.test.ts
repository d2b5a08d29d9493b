import { expect, it } from 'vitest'
import { isPrivateHost, isPublicAddress } from './public-address.ts'

it.each(['1.1.1.1', '8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700:4700::1111', '2a00:1450:4001::1'])(
  '%s is public',
  (address) => {
    expect(isPublicAddress(address)).toBe(true)
  },
)

const SPECIAL =
  '0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.255.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.168.1.1 198.18.0.1 ' +
  '203.0.113.9 224.0.0.1 240.0.0.1 255.255.255.255 :: ::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 64:ff9b::7f00:1 fc00::1 fd12::1 fe80::1 ' +
  'fe80::1%eth0 ff02::1 2001::1 2001:db8::1 2002:7f00:1:: 3fff::1 localhost'

it.each(SPECIAL.split(' '))('%s is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false)
})

it.each([
  ['localhost', true],
  ['localhost.', true],
  ['any.localhost', true],
  ['10.0.0.5', true],
  ['[::1]', true],
  ['1.1.1.1', false],
  ['notlocalhost', false],
  ['localhost.example.com', false],
])('%s as a host is private: %s', (host, isPrivate) => {
  expect(isPrivateHost(host)).toBe(isPrivate)
})
