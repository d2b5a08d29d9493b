import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const axe = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Options of axe for a page whose colours are those of another one: what depends on them takes half the time of all rules. */
export const WITHOUT_COLOURS: RunOptions = {
  rules: { 'color-contrast': { enabled: false }, 'link-in-text-block': { enabled: false } },
}

/** Fails for what axe finds in the page as it is, and where the page is wider than its window. */
export async function checkAccessibility(page: Page, name = page.url(), options: RunOptions = {}): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(`${await axe}; undefined`)
  const asked = JSON.stringify({ resultTypes: ['violations'], ...options } satisfies RunOptions)
  const run = `axe.run(${asked}).then(({ violations }) => violations)`
  const violations = (await page.evaluate(run)) as AxeResults['violations']
  const faults = violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])
  expect({ name, faults, overflow: await measureOverflow(page) }).toEqual({ name, faults: [], overflow: 0 })
}

/** By how many pixels the page is wider than its window. */
export function measureOverflow(page: Page): Promise<number> {
  return page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - innerWidth))
}
