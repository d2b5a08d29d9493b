import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleWorker } from '../src/engine/test-support/bundle-worker.ts'
import { writeTinyBundle } from './support/tiny-bundle.ts'

type Memory = Record<'rss' | 'heapUsed' | 'arrayBuffers', number>
type Stage = 'before' | 'warm' | 'after' | 'disposed'
const MB = 1e6

let folder: string
let script: string
beforeAll(async () => {
  folder = await writeTinyBundle()
  await bundleWorker('src/engine/worker.ts', 'worker')
  script = fileURLToPath(await bundleWorker('test/support/memory-script.ts', 'memory-script'))
})
afterAll(() => rm(folder, { recursive: true }))

async function runApp(place: 'worker' | 'inline'): Promise<Record<Stage, Memory>> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script, folder, place])
  return JSON.parse(stdout) as Record<Stage, Memory>
}

describe.each(['worker', 'inline'] as const)('200 calls with the engine in place: %s', (place) => {
  let memory: Record<Stage, Memory>
  beforeAll(async () => {
    memory = await runApp(place)
  }, 180_000)

  it('take memory for the engine at all, so that a measurement that sees nothing would fail', () => {
    expect(memory.warm.rss - memory.before.rss).toBeGreaterThan(8 * MB)
  })

  it('do not grow memory', () => {
    const grown = (kind: keyof Memory) => memory.after[kind] - memory.warm[kind]
    expect(grown('heapUsed')).toBeLessThan(4 * MB)
    expect(grown('arrayBuffers')).toBeLessThan(MB)
    // The keys and values of the long states alone are above 80 MB; the allocator's own ups and downs stay below 25.
    expect(grown('rss')).toBeLessThan(48 * MB)
  })

  it('leave no memory behind when the engine is disposed, nor do the engines after it', () => {
    const left = (kind: keyof Memory) => memory.disposed[kind] - memory.before[kind]
    expect(left('heapUsed')).toBeLessThan(4 * MB)
    expect(left('arrayBuffers')).toBeLessThan(MB)
    // Five engines that stayed would be above 150 MB; what the allocator keeps for later is about 60 at most.
    expect(left('rss')).toBeLessThan(100 * MB)
  })
})
