import { expect, it } from 'vitest'
import { readHost, readLifecycle } from './serve-arguments.ts'

const presets = {
  drain: '0s',
  grace: '25s',
  'keep-alive': '65s',
  'headers-timeout': '20s',
  'request-timeout': '300s',
}

it('takes durations with fractions', () => {
  const { ending, timeouts } = readLifecycle({ ...presets, grace: '16.1s', 'keep-alive': '64.1s' })
  expect([ending.graceMs, timeouts.keepAliveMs]).toEqual([16_100, 64_100])
})

it.each(['grace', 'keep-alive', 'headers-timeout', 'request-timeout'] as const)(
  'refuses a --%s that no timer can wait',
  (name) => {
    expect(() => readLifecycle({ ...presets, [name]: '600h' })).toThrow(`--${name}: must be 24d or shorter, got '600h'`)
    expect(() => readLifecycle({ ...presets, [name]: '24d' })).not.toThrow()
  },
)

it('refuses a --drain that no timer can wait by its own name', () => {
  expect(() => readLifecycle({ ...presets, drain: '600h', grace: '24d' })).toThrow(
    "--drain: must be 24d or shorter, got '600h'",
  )
})

it.each(['keep-alive', 'headers-timeout', 'request-timeout'] as const)('refuses a --%s of less than 1 ms', (name) => {
  expect(() => readLifecycle({ ...presets, [name]: '0.4ms' })).toThrow(`--${name}: must be 1ms or longer, got '0.4ms'`)
})

it.each([
  ['[::1]', '::1'],
  ['::1', '::1'],
  ['127.0.0.1', '127.0.0.1'],
])('listens on %s as on %s', (host, address) => {
  expect(readHost(host)).toBe(address)
})
