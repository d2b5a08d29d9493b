import { describe, expect, it } from 'vitest'
import { checkAccessibility } from '../helpers/check-accessibility.ts'
import { hasChromium, QUESTIONS, setUpConsole } from './console-service.ts'

describe.skipIf(!hasChromium)('the console (needs Chromium, whose path CHROMIUM may give)', () => {
  const service = setUpConsole()

  it('works with the keyboard alone', async () => {
    const page = await service.visit()
    const focused = () =>
      page.evaluate(() => {
        const { ariaLabel, id, textContent } = document.activeElement as HTMLElement
        return ariaLabel ?? (id || textContent)
      })
    const tabTo = async (name: string) => {
      for (let presses = 0; presses < 40; presses++) {
        await page.keyboard.press('Tab')
        if ((await focused()) === name) return
      }
      throw new Error(`Tab never comes to ${name}`)
    }
    expect(await focused()).toBe('key')
    await page.keyboard.type('right')
    await page.keyboard.press('Enter')
    await page.getByText('Account me').waitFor()
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Shift+Tab')
    expect(await focused()).toBe('Playground')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Playground' }).waitFor()
    for (let presses = 0; presses < 5; presses++) await page.keyboard.press('Shift+Tab')
    expect(await focused()).toBe('Skip to content')
    await page.keyboard.press('Enter')
    expect(await page.getByRole('heading', { name: 'Playground' }).isVisible()).toBe(true)
    await tabTo('tab-decide')
    await page.keyboard.press('End')
    expect(await focused()).toBe('tab-edit')
    await page.keyboard.press('ArrowRight')
    expect(await focused()).toBe('tab-decide')
    await tabTo('state')
    await page.keyboard.press('Control+A')
    await page.keyboard.type('Where is my parcel?')
    await tabTo('Remove option 3')
    await page.keyboard.press('Enter')
    expect(await focused()).toBe('Name of option 2')
    await tabTo('Add an option')
    await page.keyboard.press('Enter')
    expect(await focused()).toBe('Name of option 3')
    await page.keyboard.type('parcels')
    await tabTo('Decide')
    await page.keyboard.press('Enter')
    await page.locator('.answer .name', { hasText: 'parcels' }).waitFor()
  })

  describe('for everyone', () => {
    it.each([
      ['light', 1280],
      ['dark', 1280],
      ['light', 390],
      ['dark', 390],
      ['dark', 360],
    ] as const)('has no fault that axe finds in a %s scheme, and fits into %s pixels', async (colorScheme, width) => {
      const first = await service.visit({ colorScheme, width })
      await checkAccessibility(first)
      await service.use('/v1/systemone', { state: 'x', questions: QUESTIONS })
      await service.use('/v1/systemone', {})
      const page = await service.signIn({ colorScheme, width })
      await page.getByText('Show as a table').click()
      await checkAccessibility(page)
      await page.getByRole('link', { name: 'Playground' }).click()
      await page.getByRole('button', { name: 'Decide', exact: true }).click()
      await page.locator('.answer').first().waitFor()
      await checkAccessibility(page)
      await page.getByLabel('Minimum confidence').fill('2')
      await page.getByRole('button', { name: 'Decide', exact: true }).click()
      await page.getByText('Status 422').waitFor()
      await checkAccessibility(page)
      await page.getByRole('tab', { name: 'Generate' }).click()
      await page.getByRole('button', { name: 'Generate' }).click()
      await page.locator('#generate figure').waitFor()
      await checkAccessibility(page)
      await page.getByRole('tab', { name: 'Edit' }).click()
      await page.getByRole('button', { name: 'Edit' }).click()
      await page.getByText('Not sent').waitFor()
      await checkAccessibility(page)
    })
  })
})
