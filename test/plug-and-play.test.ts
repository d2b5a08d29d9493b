import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import Module from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { probeProvider } from '../src/backends/provider-probe.ts'
import { runFake, startFakeEngine } from '../src/engine/test-support/engines.ts'

/** What `require.resolve` asks, which Yarn's table of packages replaces. */
const resolver = Module as unknown as { _resolveFilename(name: string, ...rest: unknown[]): string }

let folder: string
const readMarks = () => readFileSync(join(folder, 'marks'), 'utf8').split('\n').filter(Boolean)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tessera plug and play '))
  const table = join(folder, '.pnp.cjs')
  writeFileSync(join(folder, 'marks'), '')
  writeFileSync(table, `require('node:fs').appendFileSync(${JSON.stringify(join(folder, 'marks'))}, 'table\\n')`)
  writeFileSync(join(folder, '.pnp.loader.mjs'), 'export const resolve = (name, context, next) => next(name, context)')
  vi.spyOn(process, 'versions', 'get').mockReturnValue({ ...process.versions, pnp: '3' })
  const { _resolveFilename: resolve } = resolver
  vi.spyOn(resolver, '_resolveFilename').mockImplementation(function (this: unknown, name, ...rest) {
    return name === 'pnpapi' ? table : resolve.call(this, name, ...rest)
  })
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

it.each([true, 'process'] as const)(
  "a worker (%s) finds packages as the app does under Yarn's Plug'n'Play",
  async (worker) => {
    const engine = await startFakeEngine({ worker })
    expect(await runFake(engine, { name: 'a', steps: 1 })).toBe('a1')
    await engine.dispose()
    expect(readMarks()).toContain('table')
  },
)

it('so does the process that tries a device', async () => {
  await probeProvider('webgpu')
  expect(readMarks()).toContain('table')
})

it('a library that lies outside of the table, such as a global one, starts as it does without it', async () => {
  vi.spyOn(resolver, '_resolveFilename').mockRestore()
  const engine = await startFakeEngine({})
  expect(await runFake(engine, { name: 'a', steps: 1 })).toBe('a1')
  await engine.dispose()
  expect(readMarks()).toEqual([])
})
