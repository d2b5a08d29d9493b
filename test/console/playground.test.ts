import type { Page } from 'playwright-core'
import { describe, expect, it, vi } from 'vitest'
import { createEngine } from '../../src/index.ts'
import { hasChromium, setUpConsole } from './console-service.ts'

describe.skipIf(!hasChromium)('the playground of the console (needs Chromium, whose path CHROMIUM may give)', () => {
  // The embedded model decides.
  const service = setUpConsole(() => createEngine({ backend: 'cpu', threads: 1, worker: false }))
  const shares = (page: Page) =>
    page
      .locator('.answer')
      .evaluateAll((answers) =>
        answers.map((answer) =>
          [...answer.querySelectorAll('.share')].map((share) => Number.parseFloat(share.textContent!)),
        ),
      )

  it('decides with the embedded model, by the form', async () => {
    const page = await service.signIn({ path: '#playground' })
    await page.getByLabel('Minimum confidence').fill('0.99')
    await page.getByRole('button', { name: 'Decide', exact: true }).click()
    await page.locator('.answer').nth(2).waitFor()
    expect(await page.locator('.answer h3').allTextContents()).toEqual(['urgent', 'team', 'anger'])
    expect(await page.locator('.facts').textContent()).toMatch(/decide-mini.* tokens.* ms in the server/)
    for (const answer of await shares(page)) {
      const sum = answer.reduce((total, share) => total + share, 0)
      expect(Math.abs(sum - 100)).toBeLessThan(0.3)
    }
    const said = await page.locator('.answer header').allTextContents()
    expect(said.every((text) => text.includes('not decided'))).toBe(true)
  })

  it('shows the fields what the server says about them', async () => {
    const page = await service.signIn({ path: '#playground' })
    await page.getByLabel('Remove option 1').click()
    await page.getByLabel('Remove option 1').click()
    await page.getByRole('button', { name: 'Decide', exact: true }).click()
    await page.getByRole('alert').getByText('Status 422 · invalid_request').waitFor()
    expect(await page.locator('#question-2 .fault').textContent()).toBe(
      'questions.team.criteria: a choice needs 2 to 26 options, got 1',
    )
    const invalid = page.locator('#decide [aria-invalid="true"]')
    const names = await invalid.evaluateAll((fields) => fields.map((field) => field.ariaLabel))
    expect(names).toEqual(['Name of option 1', 'Meaning of option 1'])
    await page.getByRole('button', { name: 'Add an option' }).click()
    await page.keyboard.type('other')
    await page.getByRole('button', { name: 'Decide', exact: true }).click()
    await page.locator('.answer').first().waitFor()
    expect(await page.locator('.fault').count()).toBe(0)
  })

  it('takes the same questions as JSON, and gives back to the form what it has fields for', async () => {
    const page = await service.signIn({ path: '#playground' })
    const editor = page.locator('[data-loc="questions"]')
    const json = page.getByLabel('Questions as JSON')
    await editor.getByRole('radio', { name: 'JSON' }).click()
    expect(Object.keys(JSON.parse(await json.inputValue()) as object)).toEqual(['urgent', 'team', 'anger'])
    await json.fill('{"only": {"type": "score", "criteria": ["low", "high"], "min_confidence": 0.5}}')
    await editor.getByRole('radio', { name: 'Form' }).click()
    await page.getByText('The form has no fields for these questions').waitFor()
    await page.locator('[data-loc="state"]').getByRole('radio', { name: 'JSON' }).check()
    await page.getByLabel('State').fill('{"text": "x"}')
    await page.getByRole('button', { name: 'Decide', exact: true }).click()
    await page.locator('.answer').waitFor()
    expect(await page.locator('.answer .name').allTextContents()).toEqual(['0: low', '1: high'])
    await json.fill('{"__proto__": {"type": "noul", "instructions": "x"}}')
    await editor.getByRole('radio', { name: 'Form' }).click()
    expect(await page.locator('#question-1').getByLabel('Name').inputValue()).toBe('__proto__')
    await page.getByLabel('State').fill('{')
    await page.getByRole('button', { name: 'Decide', exact: true }).click()
    await page.getByText('Not sent').waitFor()
  })

  it('draws pictures with their progress, and can be stopped', async () => {
    const page = await service.signIn({ path: '#playground' })
    await page.getByRole('tab', { name: 'Generate' }).click()
    await page.getByRole('spinbutton', { name: 'Pictures' }).fill('2')
    await page.locator('#seed').fill('7')
    let release = () => {}
    service.gate = new Promise<void>((resolve) => (release = resolve))
    const generate = page.getByRole('button', { name: 'Generate' })
    await generate.click()
    const progress = page.getByRole('progressbar')
    await progress.waitFor()
    expect(await progress.evaluate((bar: HTMLProgressElement) => bar.value)).toBe(0.25)
    release()
    await page.locator('#generate figure img').nth(1).waitFor()
    const prompt = 'a fox on a blue background'
    expect(service.drawn).toEqual([expect.objectContaining({ prompt, size: '256x256', n: 2, seed: 7 })])
    const sizes = () =>
      page.locator('#generate img').evaluateAll((all) => all.map((image) => (image as HTMLImageElement).naturalWidth))
    await vi.waitFor(async () => expect(await sizes()).toEqual([64, 64]))

    service.gate = new Promise(() => {})
    await generate.click()
    await progress.waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.locator('#generate').getByRole('status').getByText('Cancelled').waitFor()
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Generate')
  })

  it('sends the pictures that are chosen to be edited', async () => {
    const page = await service.signIn({ path: '#playground' })
    await page.getByRole('tab', { name: 'Edit' }).click()
    const edit = page.getByRole('button', { name: 'Edit', exact: true })
    await edit.click()
    await page.getByText('Not sent').waitFor()
    expect(await page.locator('#edit .fault').textContent()).toBe('Choose at least one picture.')
    const file = (name: string) => ({ name, mimeType: 'image/png', buffer: service.png })
    await page.getByLabel('Source pictures').setInputFiles([file('a.png')])
    await edit.click()
    await page.locator('#edit .before').getByText('Before').waitFor()
    const before = page.getByRole('img', { name: 'Before' })
    expect(await before.getAttribute('src')).toBe(`data:image/png;base64,${service.png.toString('base64')}`)
    expect(await page.locator('#edit figure').count()).toBe(2)
    await page.getByLabel('Source pictures').setInputFiles([file('a.png'), file('b.png')])
    const chosen = page.getByRole('list', { name: 'Chosen pictures' }).getByRole('listitem')
    expect(await chosen.allTextContents()).toEqual(['a.png', 'b.png'])
    await edit.click()
    await vi.waitFor(() => expect(service.drawn).toHaveLength(2))
    const source = `data:image/png;base64,${service.png.toString('base64')}`
    expect(service.drawn).toEqual([
      expect.objectContaining({ prompt: 'change the background to yellow', image: source }),
      expect.objectContaining({ prompt: 'change the background to yellow', images: [source, source] }),
    ])
  })

  it('shows the seed of a picture and what was not understood, and takes the picture as the source of an edit', async () => {
    const page = await service.signIn({ path: '#playground' })
    await page.getByRole('tab', { name: 'Generate' }).click()
    service.warnings = [{ code: 'unknown_words', path: 'prompt', message: 'prompt: not bicycle' }]
    await page.getByRole('button', { name: 'Generate' }).click()
    await page.getByText('prompt: not bicycle').waitFor()
    const { seed } = service.drawn[0] as { seed: number }
    await page.getByText(`64 × 48 · seed ${seed}`).waitFor()
    await page.getByRole('button', { name: 'Edit this' }).click()
    expect(await page.getByRole('list', { name: 'Chosen pictures' }).textContent()).toBe('picture-1.png')
    await page.locator('#edit-seed').fill('5')
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.locator('#edit').getByText('seed 5').waitFor()
    const image = `data:image/png;base64,${service.png.toString('base64')}`
    expect(service.drawn[1]).toMatchObject({ prompt: 'change the background to yellow', image, seed: 5 })
  })

  it('copies a request as a program and as a command line', async () => {
    const page = await service.signIn({ path: '#playground' })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('tab', { name: 'Generate' }).click()
    await page.locator('#seed').fill('7')
    await page.getByRole('button', { name: 'Generate' }).click()
    const copied = () => page.evaluate(() => navigator.clipboard.readText())
    await page.getByRole('button', { name: 'Copy as TypeScript' }).click()
    await vi.waitFor(async () => expect(await copied()).toContain('const response = await generateImage({'))
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await vi.waitFor(async () =>
      expect(await copied()).toContain('/v1/images/generations -H "Authorization: Bearer $TESSERA_KEY"'),
    )
    expect(await copied()).not.toContain('right')
  })

  it('says why it does not copy on a page without TLS of another machine', async () => {
    const page = await service.signIn({ path: '#playground' })
    // As there, where `navigator` has no clipboard.
    await page.evaluate(() => {
      Object.defineProperty(globalThis, 'isSecureContext', { value: false })
      Object.defineProperty(navigator, 'clipboard', { value: undefined })
    })
    await page.getByRole('tab', { name: 'Generate' }).click()
    await page.getByRole('button', { name: 'Generate' }).click()
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await page.getByText('Browsers let a page copy over https or from localhost only').waitFor()
  })

  it('shows the answer on a phone, where it lies below the form', async () => {
    const page = await service.signIn({ path: '#playground' })
    await page.setViewportSize({ width: 390, height: 700 })
    await page.getByRole('button', { name: 'Decide', exact: true }).click()
    await page.locator('.answer').first().waitFor()
    const top = () =>
      page
        .locator('.answer')
        .first()
        .evaluate((answer) => answer.getBoundingClientRect().top)
    await vi.waitFor(async () => expect(await top()).toBeLessThan(350))
  })
})
