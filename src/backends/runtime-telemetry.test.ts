import { readdir } from 'node:fs/promises'
import { afterEach, expect, it, vi } from 'vitest'
import { decideTelemetry, observeTelemetry, requireTelemetryDecision } from './runtime-telemetry.ts'

vi.mock('node:fs/promises', { spy: true })

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

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

it('refuses to go on in Bun, whose variables native code does not see, unless it was started with one', () => {
  vi.spyOn(process, 'versions', 'get').mockReturnValue({ ...process.versions, bun: '1.4.5' })
  vi.stubEnv('ORT_DISABLE_TELEMETRY', undefined)
  expect(() => requireTelemetryDecision()).toThrow('start the process with ORT_DISABLE_TELEMETRY=1')
  vi.stubEnv('ORT_DISABLE_TELEMETRY', '1')
  expect(() => requireTelemetryDecision()).not.toThrow()
})

it('takes what the program has set where the report has no variables, as in Deno', () => {
  const { header } = process.report.getReport() as unknown as { header: object }
  vi.spyOn(process.report, 'getReport').mockReturnValue({ header, environmentVariables: undefined })
  vi.stubEnv('ORT_DISABLE_TELEMETRY', undefined)
  expect(() => requireTelemetryDecision()).not.toThrow()
})

it('goes by the variable where open files may not be listed, as under the permission model of Node', async () => {
  vi.spyOn(process, 'platform', 'get').mockReturnValue('linux')
  vi.mocked(readdir).mockRejectedValue(Object.assign(new Error('restricted'), { code: 'ERR_ACCESS_DENIED' }))
  vi.stubEnv('ORT_DISABLE_TELEMETRY', '1')
  expect(await observeTelemetry()).toBe('off')
})
