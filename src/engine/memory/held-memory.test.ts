import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { measureHeldMemory } from './held-memory.ts'

let root: string
beforeEach(() => void (root = temporaryFolder()))

async function measure(status: string) {
  await mkdir(join(root, 'proc/self'), { recursive: true })
  await writeFile(join(root, 'proc/self/status'), status)
  return measureHeldMemory(root)
}

it('is what the process has taken, in memory and in swap, without pages of files', async () => {
  const status =
    'Name:\tnode\nVmRSS:\t    9000 kB\nRssAnon:\t    5000 kB\nRssFile:\t    4000 kB\nVmSwap:\t     100 kB\n'
  expect(await measure(status)).toBe(5100 * 1024)
  expect(await measure('RssAnon:\t    5000 kB\n')).toBe(5000 * 1024)
})

it('is all that the process has in memory where the system does not say it', async () => {
  const isAll = (bytes: number) => Math.abs(bytes / process.memoryUsage.rss() - 1) < 0.2
  expect(measureHeldMemory(root)).toSatisfy(isAll)
  expect(await measure('Name:\tnode\n')).toSatisfy(isAll)
})

it.runIf(process.platform === 'linux')('grows by what this process takes', () => {
  const before = measureHeldMemory()
  const grown = () => measureHeldMemory() - before
  // Taking memory may have the collector give back what tests before this one left, as much as one buffer or more.
  const taken: Buffer[] = []
  while (grown() <= 48e6 && taken.length < 8) taken.push(Buffer.alloc(64e6, 1))
  expect(grown()).toBeGreaterThan(48e6)
  expect(taken[0]?.[0]).toBe(1)
})
