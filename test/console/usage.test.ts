import express from 'express'
import { describe, expect, it } from 'vitest'
import { toExpressHandler } from '../../src/http/adapters/express.ts'
import { createNodeServer } from '../../src/http/adapters/node.ts'
import { createServer } from '../../src/http/index.ts'
import { usageSchema } from '../../src/http/routes/usage-route.ts'
import { listen } from '../../src/http/test-support/listen.ts'
import { createStubEngine } from '../../src/http/test-support/stub-engine.ts'
import { openPage } from './console-page.ts'
import { hasChromium, QUESTIONS, setUpConsole } from './console-service.ts'

describe.skipIf(!hasChromium)('in the console (needs Chromium, whose path CHROMIUM may give)', () => {
  const service = setUpConsole()

  describe('signing in', () => {
    it('shows nothing without a key that the server knows', async () => {
      const page = await service.visit()
      await page.getByLabel('API key').fill('wrong')
      await page.keyboard.press('Enter')
      await page
        .getByRole('alert')
        .getByText('This server does not take this key: it is unknown, or has expired.')
        .waitFor()
      await page.getByLabel('API key').fill('two words')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').getByText('A key has no spaces').waitFor()
      expect(await page.getByRole('heading', { level: 1 }).allTextContents()).toEqual(['Sign in'])
      expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
    })

    it('tries again with the key of the tab where the server had no answer', async () => {
      const page = await service.signIn()
      await page.route('**/v1/usage', (route) => route.fulfill({ status: 429, json: { message: 'Too many at once.' } }))
      await page.reload()
      await page.getByRole('alert').getByText('Too many at once.').waitFor()
      await page.unroute('**/v1/usage')
      await page.keyboard.press('Enter')
      await page.getByText('Account me').waitFor()
      expect(await page.getByRole('button', { name: 'Try again' }).isVisible()).toBe(false)
    })

    it('keeps a key when an earlier one is answered late', async () => {
      const page = await service.visit()
      let answer!: () => void
      const gate = new Promise<void>((resolve) => (answer = resolve))
      await page.route('**/v1/usage', async (route) => {
        if (route.request().headers().authorization === 'Bearer wrong') await gate
        await route.continue()
      })
      for (const key of ['wrong', 'right']) {
        await page.getByLabel('API key').fill(key)
        await page.keyboard.press('Enter')
      }
      await page.getByText('Account me').waitFor()
      const late = page.waitForResponse((response) => response.status() === 401)
      answer()
      await (await late).finished()
      // What the page makes of it takes no more than a turn.
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)))
      expect(await page.getByText('Account me').isVisible()).toBe(true)
      expect(await page.evaluate(() => Object.values(sessionStorage))).toEqual(['right'])
    })

    it('keeps a key when what was asked for with an earlier one is refused late', async () => {
      const page = await service.signIn({ path: '#playground' })
      let answer!: () => void
      const gate = new Promise<void>((resolve) => (answer = resolve))
      const refused = { status: 401, json: { message: 'unknown key' } }
      await page.route('**/v1/images/generations', async (route) => {
        await gate
        await route.fulfill(refused)
      })
      await page.route('**/v1/usage', async (route) => {
        const isFirst = route.request().headers().authorization === 'Bearer right'
        await (isFirst ? route.fulfill(refused) : route.continue())
      })
      await page.getByRole('tab', { name: 'Generate' }).click()
      await page.getByRole('button', { name: 'Generate' }).click()
      await page.getByRole('link', { name: 'Usage' }).click()
      await page.getByRole('button', { name: 'Refresh' }).click()
      await page.getByRole('alert').getByText('This key is not accepted any more.').waitFor()
      await page.getByLabel('API key').fill('other')
      await page.keyboard.press('Enter')
      await page.getByText('Account other').waitFor()
      const late = page.waitForResponse('**/v1/images/generations')
      answer()
      await (await late).finished()
      // What the page makes of it takes no more than a turn.
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)))
      expect(await page.getByText('Account other').isVisible()).toBe(true)
      expect(await page.evaluate(() => sessionStorage.getItem('tessera-key'))).toBe('other')
    })

    it('keeps the key in this tab alone, until it is signed out', async () => {
      const page = await service.signIn()
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Usage')
      const kept = () => [document.cookie, localStorage.length, Object.values(sessionStorage)]
      expect(await page.evaluate(kept)).toEqual(['', 0, ['right']])
      expect(await page.context().cookies()).toEqual([])
      await page.reload()
      await page.getByText('Account me').waitFor()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByLabel('API key').waitFor()
      expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
      expect(await page.getByText('Account me').isVisible()).toBe(false)
    })

    it('works below another path, with a slash or without', async () => {
      const server = createServer({ engine: createStubEngine().engine, keys: ['k'] })
      const mounted = await listen(express().use('/some/ai', toExpressHandler(server)))
      for (const path of ['/some/ai/console', '/some/ai/console/']) {
        const { page, faults, close } = await openPage(service.browser, mounted.url + path)
        await page.getByLabel('API key').fill('k')
        await page.keyboard.press('Enter')
        await page.getByText('Account key_').waitFor()
        expect([new URL(page.url()).pathname, faults]).toEqual(['/some/ai/console', []])
        await close()
      }
      await mounted.close()
    })

    it('lets no other script in, and the key out to no other server', async () => {
      const { page, faults, close } = await openPage(service.browser, `${service.url}/console`)
      const tried = await page.evaluate(async () => {
        const script = document.createElement('script')
        script.append('window.ran = true')
        document.body.append(script)
        const sent = await fetch('http://127.0.0.1:9/').then(
          () => 'sent',
          () => 'refused',
        )
        return ['ran' in window, sent]
      })
      expect(tried).toEqual([false, 'refused'])
      expect(faults.join()).toMatch(/TrustedScript|inline script/)
      expect(faults.join()).toMatch(/http:\/\/127\.0\.0\.1:9\/.*Content Security Policy/)
      await close()
    })

    it('is not asked for where no key is needed', async () => {
      const free = await listen(createNodeServer(createServer({ engine: createStubEngine().engine })))
      const opened = await openPage(service.browser, `${free.url}/console`)
      await opened.page.getByText('Account anyone').waitFor()
      expect(await opened.page.getByRole('button', { name: 'Sign out' }).isVisible()).toBe(false)
      expect(opened.faults).toEqual([])
      await opened.close()
      await free.close()
    })
  })

  describe('usage', () => {
    it('is what the server counted, in figures, in the chart and in its table', async () => {
      const body = { state: 'The invoice is wrong', questions: QUESTIONS }
      for (let count = 0; count < 3; count++) await service.use('/v1/systemone', body)
      await service.use('/v1/images/generations', { prompt: 'x', n: 2 })
      await service.use('/v1/systemone', { state: 'x', questions: QUESTIONS }, 'other')
      const page = await service.signIn()
      const response = await fetch(`${service.url}/v1/usage`, { headers: { authorization: 'Bearer right' } })
      const tokens = usageSchema.parse(await response.json()).days[0]!.input_tokens
      expect(tokens).toBeGreaterThan(30)
      const figure = (name: string) => page.locator('.figure', { hasText: name }).locator('.value').textContent()
      expect(await figure('Cost this month')).toBe('€0.40')
      expect(await figure('Requests this month')).toBe('4')
      expect(await figure('Free tokens left')).toBe(String(1000 - tokens))
      expect(await figure('Prepaid balance left')).toBe('€9.60')

      const bars = async () =>
        Object.fromEntries(
          await page
            .locator('#chart .bar')
            .evaluateAll((all) => all.map((bar) => [bar.classList[1], Number(bar.getAttribute('data-value'))])),
        )
      const cells = () => page.locator('#days-table tbody tr:first-child td').allTextContents()
      expect(await bars()).toEqual({ decisions: 3, generations: 1 })
      await page.getByText('Show as a table').click()
      expect(await cells()).toEqual(['3 requests', '1 request', '0 requests', '4 requests'])
      await page.getByRole('radio', { name: 'Tokens' }).check()
      expect(await bars()).toEqual({ decisions: tokens })
      await page.getByRole('radio', { name: 'Images' }).check()
      expect(await bars()).toEqual({ generations: 2 })
      await page.getByRole('radio', { name: 'Cost' }).check()
      expect(await bars()).toEqual({ generations: 0.4 })
      expect(await cells()).toEqual(['€0.00', '€0.40', '€0.00', '€0.40'])
    })

    it('speaks of no money where nothing is billed', async () => {
      const { page, close } = await openPage(service.browser, `${service.url}/console`)
      await page.getByText('prints one when it starts for the first time').waitFor()
      await page.getByLabel('API key').fill('other')
      await page.keyboard.press('Enter')
      await page.getByText('Account other').waitFor()
      await page.getByText('nothing is billed').waitFor()
      expect(await page.locator('.figure', { hasText: 'Cost' }).count()).toBe(0)
      expect(await page.getByRole('radio', { name: 'Cost' }).isVisible()).toBe(false)
      expect(await page.locator('#usage').textContent()).not.toContain('€')
      await close()
    })

    it('says on a phone that its table scrolls, once there is one', async () => {
      const empty = await service.signIn({ width: 390 })
      await empty.getByText('No requests yet').waitFor()
      expect(await empty.getByText('The table scrolls sideways.').isVisible()).toBe(false)
      await service.use('/v1/systemone', { state: 'x', questions: QUESTIONS })
      const page = await service.signIn({ width: 390 })
      expect(await page.getByText('The table scrolls sideways.').isVisible()).toBe(true)
      const beyond = await page.locator('#recent-table').evaluate((table) => table.scrollWidth - table.clientWidth)
      expect(beyond).toBeGreaterThan(0)
    })

    it('is read out day by day with the arrow keys', async () => {
      await service.use('/v1/systemone', { state: 'x', questions: QUESTIONS })
      const page = await service.signIn()
      const day = page.getByRole('slider', { name: 'Day' })
      await day.focus()
      expect(await day.getAttribute('aria-valuetext')).toMatch(/: 1 request$/)
      await page.keyboard.press('ArrowLeft')
      expect(await day.getAttribute('aria-valuetext')).toMatch(/: 0 requests$/)
      expect(await page.locator('#day-readout').textContent()).toBe(await day.getAttribute('aria-valuetext'))
      await page.keyboard.press('Home')
      expect(await day.getAttribute('aria-valuenow')).toBe('1')
      await page.keyboard.press('End')
      expect(await day.getAttribute('aria-valuenow')).toBe('30')
    })

    it('lists recent requests by status', async () => {
      const page = await service.signIn()
      expect(await page.locator('#recent-table').textContent()).toContain('No requests yet')
      await service.use('/v1/systemone', { state: 'x', questions: QUESTIONS })
      await service.use('/v1/systemone', {})
      await page.getByRole('button', { name: 'Refresh' }).click()
      await page.getByText('All (2)').waitFor()
      const rows = () => page.locator('#recent-table tbody .status').allTextContents()
      expect(await rows()).toEqual(['422', '200'])
      await page.getByRole('radio', { name: '422 (1)' }).check()
      expect(await rows()).toEqual(['422'])
    })

    it('goes back to asking for a key when the server stops knowing it', async () => {
      const page = await service.signIn()
      await page.evaluate(() => sessionStorage.setItem('tessera-key', 'gone'))
      await page.getByRole('button', { name: 'Refresh' }).click()
      await page.getByText('This key is not accepted any more.').waitFor()
      expect(await page.getByText('Account me').isVisible()).toBe(false)
    })
  })
})
