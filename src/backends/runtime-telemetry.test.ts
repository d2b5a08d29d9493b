import { afterEach, expect, it, vi } from 'vitest'
import { decideTelemetry, requireTelemetryDecision } from './runtime-telemetry.ts'

afterEach(() => vi.unstubAllEnvs())

it.each([
  ['not set', undefined, false, '1'],
  ['empty, as variables that are not set are written in some files', '', false, '1'],
  ['not set and wanted', undefined, true, '0'],
  ['decided by the app', '0', false, '0'],
  ['decided by the app against', 'true', true, 'true'],
])('decides for the process where the variable is %s', (_, before, wanted, after) => {
  vi.stubEnv('ORT_DISABLE_TELEMETRY', before)
  decideTelemetry(wanted)
  expect(process.env['ORT_DISABLE_TELEMETRY']).toBe(after)
})

it('refuses to go on where `process.env` is not what the process has, as in some test runners', () => {
  vi.stubEnv('ORT_DISABLE_TELEMETRY', undefined)
  const real = process.env
  process.env = {}
  try {
    expect(() => requireTelemetryDecision()).toThrow('ORT_DISABLE_TELEMETRY: must be set, as')
  } finally {
    process.env = real
  }
  expect(() => requireTelemetryDecision()).not.toThrow()
})
