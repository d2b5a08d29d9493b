import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkAccessibility, measureOverflow, WITHOUT_COLOURS } from '../helpers/check-accessibility.ts'
import { findChromium } from '../helpers/chromium.ts'
import { type DocsSite, openDocsSite } from './docs-site.ts'

const executablePath = findChromium()

/** Of one page of each layout, which have all colours of the site. */
const LOOKS = [
  ['light', 1280],
  ['light', 390],
  ['dark', 1280],
  ['dark', 390],
] as const
const LAYOUTS = ['/', '/decisions', '/command-line', '/api/tessera-onnx/functions/decide', '/no-such-page']

describe.skipIf(executablePath === undefined)(
  'the documentation site (needs Chromium, whose path CHROMIUM may give)',
  () => {
    let site: DocsSite
    let browser: Browser
    let page: Page
    const faults: string[] = []
    beforeAll(async () => {
      site = await openDocsSite()
      browser = await chromium.launch({ executablePath: executablePath!, args: ['--no-sandbox'] })
      page = await browser.newPage({ reducedMotion: 'reduce' })
      // Pages ask for all that they link to, unless their reader saves data.
      await page.addInitScript(() => Object.defineProperty(navigator, 'connection', { value: { saveData: true } }))
      page.on('pageerror', ({ message }) => faults.push(`${page.url()}: ${message}`))
      page.on('request', (request) => {
        const asked = request.url()
        if (!/^(data|blob):/.test(asked) && !asked.startsWith(site.url)) faults.push(`${page.url()} asks for ${asked}`)
      })
    }, 900_000)
    afterAll(async () => {
      await browser?.close()
      await site?.close()
    })

    /** One page of each kind that the reference is written as, and all others. */
    function kindsOfPages(): string[] {
      const kinds = new Map(site.pages.map((path) => [/^\/api\/(.*\/)?([\w-]+)\/[^/]*$/.exec(path)?.[2] ?? path, path]))
      return [...kinds.values()]
    }

    /** Opens a page and waits for its scripts: until then the 404 page is empty and a switch has no name. */
    async function openPage(path: string): Promise<void> {
      await page.goto(site.url + path)
      await page.waitForSelector('.VPSwitchAppearance[title]:not([title=""])', { state: 'attached' })
    }

    it('has a page for every document and for the reference', () => {
      expect(site.pages).toEqual(
        expect.arrayContaining(['/', '/decisions', '/api/', '/api/tessera-onnx/functions/decide']),
      )
      expect(site.pages.length).toBeGreaterThan(100)
      expect(kindsOfPages().length).toBeGreaterThan(30)
    })

    it.each(LAYOUTS)(
      'has no fault that axe finds in light and dark schemes, and fits: %s',
      async (path) => {
        await openPage(path)
        for (const [colorScheme, width] of LOOKS) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
          await page.setViewportSize({ width, height: 900 })
          const isDark = () => document.documentElement.classList.contains('dark')
          await expect.poll(() => page.evaluate(isDark)).toBe(colorScheme === 'dark')
          await checkAccessibility(page, `${path}, ${colorScheme}, ${width}`)
        }
        expect(faults).toEqual([])
      },
      900_000,
    )

    it('has no other fault on any page, nor on one of each kind of the reference', async () => {
      for (const path of kindsOfPages().filter((kind) => !LAYOUTS.includes(kind))) {
        await page.setViewportSize({ width: 1280, height: 900 })
        await openPage(path)
        await checkAccessibility(page, path, WITHOUT_COLOURS)
        await page.setViewportSize({ width: 390, height: 900 })
        expect([path, await measureOverflow(page)]).toEqual([path, 0])
      }
      expect(faults).toEqual([])
    }, 900_000)

    it('fits into 390 pixels on every page of the reference', async () => {
      const paths = site.pages.filter((path) => path.startsWith('/api/'))
      await page.setViewportSize({ width: 390, height: 900 })
      await openPage(paths[0]!)
      // One after the other in the same page, as what is around the text is the same: opening each takes ten times as long.
      const widths = await page.evaluate(async (all) => {
        const measured: [path: string, overflow: number][] = []
        for (const path of all) {
          const opened = new DOMParser().parseFromString(await (await fetch(path)).text(), 'text/html')
          document.querySelector('.VPContent')!.replaceWith(opened.querySelector('.VPContent')!)
          measured.push([path, document.documentElement.scrollWidth - innerWidth])
        }
        return measured
      }, paths)
      expect(widths.length).toBe(paths.length)
      expect(widths.filter(([, overflow]) => overflow > 0)).toEqual([])
    }, 900_000)
  },
)
