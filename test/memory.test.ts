import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleWorker } from '../src/engine/test-support/bundle-worker.ts'
import { type ImageBundle, materializeBundle } from './helpers/image-bundle.ts'
import { GROWTH, type Memory } from './helpers/measure-memory.ts'
import { writeTinyBundle } from './helpers/tiny-bundle.ts'

type Stage = 'before' | 'warm' | 'grown' | 'disposed'
const MB = 1e6

const WORKLOADS = [
  // The keys and values of the long states alone are above 80 MB; the allocator's own ups and downs stay below 25.
  // Five engines that stayed would be above 150 MB; what the allocator keeps for later is about 60 at most.
  { what: '200 decisions', script: 'memory-script', grown: 48 * MB, left: 100 * MB },
  // The pixels of all pictures, as bytes and as floats, are 35 MB; the allocator goes up by 26 at times.
  // Five engines that stayed would be above 370 MB; 85 are kept.
  { what: '100 pictures', script: 'image-memory-script', grown: 24 * MB, left: 160 * MB },
] as const

let decisions: string
let pictures: ImageBundle
beforeAll(async () => {
  ;[decisions, pictures] = await Promise.all([writeTinyBundle(), materializeBundle('klein-distilled')])
})
afterAll(() => Promise.all([rm(decisions, { recursive: true }), pictures.remove()]))

type Script = (typeof WORKLOADS)[number]['script']
async function runApp(name: Script, place: string, mayGrow: number): Promise<Record<Stage, Memory>> {
  const script = fileURLToPath(await bundleWorker(`test/helpers/${name}.ts`, name))
  const folder = name === 'memory-script' ? decisions : pictures.folder
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script, folder, place, `${mayGrow}`])
  return JSON.parse(stdout) as Record<Stage, Memory>
}

describe.each(
  WORKLOADS.flatMap((workload) => (['worker', 'inline'] as const).map((place) => ({ ...workload, place }))),
)('$what with the engine in place: $place', ({ script, place, grown: mayGrow, left: mayStay }) => {
  let memory: Record<Stage, Memory>
  beforeAll(async () => {
    memory = await runApp(script, place, mayGrow)
  })

  it('take memory for the engine at all, so that a measurement that sees nothing would fail', () => {
    expect(memory.warm.rss - memory.before.rss).toBeGreaterThan(8 * MB)
  })

  it('do not grow memory', () => {
    expect(memory.grown.heapUsed).toBeLessThan(GROWTH.heapUsed)
    expect(memory.grown.arrayBuffers).toBeLessThan(GROWTH.arrayBuffers)
    expect(memory.grown.rss).toBeLessThan(mayGrow)
  })

  it('leave no memory behind when the engine is disposed, nor do the engines after it', () => {
    const left = (kind: keyof Memory) => memory.disposed[kind] - memory.before[kind]
    expect(left('heapUsed')).toBeLessThan(4 * MB)
    expect(left('arrayBuffers')).toBeLessThan(MB)
    expect(left('rss')).toBeLessThan(mayStay)
  })
})
