import type { Browser, Page } from 'playwright-core'

export interface OpenPage {
  readonly page: Page
  /** Faults of the script, breaches of the policy, words on the console, requests to elsewhere: none may be there. */
  readonly faults: string[]
  close(): Promise<void>
}

export interface PageOptions {
  readonly colorScheme?: 'light' | 'dark'
  readonly width?: number
}

/** What Chromium writes for any refusal: that it came is for a test to say. */
const REFUSAL = /^Failed to load resource: the server responded with a status of 4\d\d/

/** A page of its own, with nothing of those before. */
export async function openPage(
  browser: Browser,
  url: string,
  { colorScheme = 'light', width = 1400 }: PageOptions = {},
): Promise<OpenPage> {
  const { origin } = new URL(url)
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } })
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', ({ message }) => faults.push(`error: ${message}`))
  page.on('console', (message) => {
    if (!REFUSAL.test(message.text())) faults.push(`console: ${message.text()}`)
  })
  page.on('request', (request) => {
    const asked = request.url()
    if (!/^(data|blob):/.test(asked) && new URL(asked).origin !== origin) faults.push(`request: ${asked}`)
  })
  await page.goto(url)
  return { page, faults, close: () => context.close() }
}
