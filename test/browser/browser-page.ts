import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { chromium, type Page } from 'playwright-core'
// @ts-expect-error: a program in plain JavaScript, as users copy it
import { FOLDERS, startServer } from '../../examples/browser/serve.mjs'
import { bundleWeb } from '../../scripts/bundle-web.ts'
import type * as Library from '../../src/web/index.ts'
import { findChromium } from '../helpers/chromium.ts'

declare global {
  /** The library, in pages that `openLibrary` gives. */
  var tessera: typeof Library
}

const executablePath = findChromium()

/** Without Chromium the tests of browsers are skipped: give its path as `CHROMIUM`. */
export const hasChromium = executablePath !== undefined

/** WebGPU on the device in software that comes with Chromium. */
const ARGUMENTS = [
  '--no-sandbox',
  '--enable-unsafe-webgpu',
  '--use-webgpu-adapter=swiftshader',
  '--enable-features=Vulkan',
]

interface OpenedPage {
  readonly page: Page
  /** Errors, breaches of the policy and requests to elsewhere. */
  readonly faults: string[]
}

export interface ExampleSite {
  /** The example page, in a browser that keeps its storage from page to page. */
  openExample(query?: string): Promise<OpenedPage>
  /** An empty page of the same site with the library as `tessera`. */
  openLibrary(): Promise<OpenedPage>
  close(): Promise<void>
}

/**
 * The example's server with the library bundled from source, and Chromium.
 *
 * @param folders to serve besides, by the start of their URL
 */
export async function startExampleSite(folders: Readonly<Record<string, string>> = {}): Promise<ExampleSite> {
  const web = fileURLToPath(new URL(`../../out/web-${process.pid}`, import.meta.url))
  await bundleWeb(web)
  const server = await startServer({ folders: { ...folders, ...FOLDERS, '/tessera/': web } })
  const browser = await chromium.launch({ executablePath: executablePath!, args: ARGUMENTS })
  const context = await browser.newContext()

  async function open(path: string): Promise<OpenedPage> {
    const page = await context.newPage()
    const faults: string[] = []
    page.on('pageerror', ({ message }) => faults.push(`error: ${message}`))
    page.on('console', (message) => {
      // That a file is not there is an answer.
      if (message.type() === 'error' && !message.text().includes('404')) faults.push(`console: ${message.text()}`)
    })
    page.on('request', (request) => {
      const asked = request.url()
      if (!/^(data|blob):/.test(asked) && !asked.startsWith(server.url)) faults.push(`request: ${asked}`)
    })
    // Browsers report to the page's owner what was blocked and caught, and say nothing of it on the console.
    await page.addInitScript(() => {
      addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
        reportError(new Error(`policy: ${violatedDirective} ${blockedURI}`))
      })
    })
    await page.goto(server.url + path)
    return { page, faults }
  }

  return {
    openExample: (query = '') => open(query),
    async openLibrary() {
      const opened = await open('page.css')
      // As text: the test runner rewrites `import()` in functions.
      await opened.page.evaluate("import('/tessera/index.js').then((library) => { globalThis.tessera = library })")
      return opened
    },
    async close() {
      await browser.close()
      await server.close()
      await rm(web, { recursive: true })
    },
  }
}
