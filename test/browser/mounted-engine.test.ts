import { readFile } from 'node:fs/promises'
import { transform } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ExampleSite, hasChromium, startExampleSite } from './browser-page.ts'

/** The function that the page on browsers shows for effects, as a page runs it. */
async function readMountEngine(): Promise<string> {
  const page = await readFile(new URL('../../docs/browsers.md', import.meta.url), 'utf8')
  const blocks = Array.from(page.matchAll(/^```ts\nimport .*\n([\s\S]*?)^```$/gm), ([, lines]) => lines!)
  const shown = blocks.find((block) => block.includes('export function mountEngine'))!
  const { code } = await transform(shown.replace('export ', ''), { loader: 'ts' })
  return code
}

describe.skipIf(!hasChromium)('an engine of a component (set CHROMIUM to its path where it is not found)', () => {
  let site: ExampleSite
  beforeAll(async () => {
    site = await startExampleSite()
  })
  afterAll(() => site?.close())

  it('is the second where it is mounted twice, and ends with the component', async () => {
    const { page, faults } = await site.openLibrary()
    const workers: string[] = []
    page.on('worker', (worker) => {
      workers.push('started')
      worker.on('close', () => workers.push('ended'))
    })
    const told = await page.evaluate(`(async () => {
      const { createEngine } = tessera
      ${await readMountEngine()}
      const told = []
      await new Promise((resolve, reject) => {
        mountEngine('/', () => told.push('first'), () => told.push('failed'))()
        globalThis.unmount = mountEngine('/', (engine) => resolve(told.push(engine.backendInfo().backend)), reject)
      })
      return told
    })()`)
    expect([told, faults]).toEqual([['wasm'], []])
    await expect.poll(() => workers.toSorted()).toEqual(['ended', 'started', 'started'])
    await page.evaluate('unmount()')
    await expect.poll(() => workers.toSorted()).toEqual(['ended', 'ended', 'started', 'started'])
    await page.close()
  }, 600_000)

  it('tells of a failed start where it is mounted', async () => {
    const { page } = await site.openLibrary()
    const code = await page.evaluate(`(async () => {
      const { createEngine } = tessera
      ${await readMountEngine()}
      return new Promise((resolve) => mountEngine('/nowhere/', resolve, (error) => resolve(error.code)))
    })()`)
    expect(code).toBe('backend_unavailable')
    await page.close()
  }, 600_000)
})
