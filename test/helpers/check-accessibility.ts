import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const axe = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What depends on the colours of a page, and takes half the time of all rules. */
export const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/**
 * Fails for what axe finds in the page as it is, and where the page is wider than its window.
 *
 * @param rules of axe; all by default
 */
export async function checkAccessibility(page: Page, name = page.url(), rules?: readonly string[]): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(`${await axe}; undefined`)
  const options = JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) })
  const run = `axe.run(${options}).then(({ violations }) => violations)`
  const violations = (await page.evaluate(run)) as AxeResults['violations']
  const faults = violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  expect({ name, faults, overflow: Math.max(0, overflow) }).toEqual({ name, faults: [], overflow: 0 })
}
