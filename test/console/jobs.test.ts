import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect, it, vi } from 'vitest'
import { createStubEngine } from '../../src/http/test-support/stub-engine.ts'
import { checkAccessibility } from '../helpers/check-accessibility.ts'
import { hasChromium, QUESTIONS, setUpConsole } from './console-service.ts'

const FOREVER = new Promise(() => {})
const rejectOnAbort = (signal: AbortSignal | undefined) =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)))

describe.skipIf(!hasChromium)('jobs of the console (needs Chromium, whose path CHROMIUM may give)', () => {
  const { engine } = createStubEngine()
  /** Decisions wait for this. */
  let deciding: Promise<unknown> = Promise.resolve()
  const decide: typeof engine.decide = async (request, options) => {
    await Promise.race([deciding, rejectOnAbort(options?.signal)])
    return engine.decide(request, options)
  }
  const service = setUpConsole(async () => ({ ...engine, decide }))
  const jobs = async (page: Page, key = 'right') => {
    const response = await page.request.get(`${service.url}/v1/jobs`, { headers: { authorization: `Bearer ${key}` } })
    return ((await response.json()) as { data: { id: string; status: string }[] }).data
  }
  const statuses = async (page: Page) => (await jobs(page)).map(({ status }) => status)
  const startPicture = async (width?: number) => {
    const page = await service.signIn({ path: '#playground', ...(width !== undefined && { width }) })
    await page.getByRole('tab', { name: 'Generate' }).click()
    await page.locator('#seed').fill('7')
    await page.getByRole('button', { name: 'Generate' }).click()
    return page
  }
  const kept = (page: Page) => page.evaluate(() => Object.keys(sessionStorage).toSorted())

  it('a picture shows its progress and a preview, and is cancelled in the service too', async () => {
    service.gate = FOREVER
    const page = await startPicture()
    const progress = page.getByRole('progressbar')
    await progress.waitFor()
    expect(await progress.evaluate((bar: HTMLProgressElement) => bar.value)).toBe(0.25)
    await page.getByRole('img', { name: 'What the picture will be' }).waitFor()
    expect(await statuses(page)).toEqual(['running'])
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.locator('#generate').getByRole('status').getByText('Cancelled').waitFor()
    expect(await statuses(page)).toEqual(['cancelled'])
    expect(await page.getByRole('img', { name: 'What the picture will be' }).count()).toBe(0)
    expect(await kept(page)).toEqual(['tessera-key'])
  })

  it('a picture is found again after a reload, by its id alone, and shown when it is there', async () => {
    let release = () => {}
    service.gate = new Promise<void>((resolve) => (release = resolve))
    const page = await startPicture()
    await page.getByRole('img', { name: 'What the picture will be' }).waitFor()
    await page.reload()
    await page.getByRole('progressbar').waitFor()
    await page.getByRole('img', { name: 'What the picture will be' }).waitFor()
    const { id } = (await jobs(page))[0]!
    expect(await kept(page)).toEqual(['tessera-job-generate', 'tessera-key'])
    expect(await page.evaluate(() => sessionStorage.getItem('tessera-job-generate'))).toBe(id)
    release()
    await page.getByRole('img', { name: 'Picture 1' }).waitFor()
    await page.locator('#generate').getByText('64 × 48').waitFor()
    expect(service.drawn).toHaveLength(1)
    await page.reload()
    await page.getByRole('img', { name: 'Picture 1' }).waitFor()
    expect(service.drawn).toHaveLength(1)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('API key').waitFor()
    expect(await kept(page)).toEqual([])
  })

  it('a picture can be cancelled after a reload', async () => {
    service.gate = FOREVER
    const page = await startPicture()
    await page.getByRole('progressbar').waitFor()
    await page.reload()
    await page.getByRole('progressbar').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.locator('#generate').getByRole('status').getByText('Cancelled').waitFor()
    expect(await statuses(page)).toEqual(['cancelled'])
  })

  it('a job that is gone is forgotten after a reload', async () => {
    const page = await startPicture()
    await page.getByRole('img', { name: 'Picture 1' }).waitFor()
    const { id } = (await jobs(page))[0]!
    await page.request.delete(`${service.url}/v1/jobs/${id}`, { headers: { authorization: 'Bearer right' } })
    await page.reload()
    await vi.waitFor(async () => expect(await kept(page)).toEqual(['tessera-key']))
    expect(await page.getByRole('alert').filter({ visible: true }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Generate' }).getAttribute('aria-disabled')).toBe('false')
  })

  it.each([
    ['light', 1280],
    ['dark', 390],
  ] as const)(
    'are listed, previewed, cancelled and removed, in a %s scheme at %s pixels',
    async (colorScheme, width) => {
      service.gate = FOREVER
      const page = await service.signIn({ path: '#jobs', colorScheme, width })
      await page.getByText('No jobs.').waitFor()
      const asked = { prompt: 'a', size: '64x64', background: true, partial_images: 3 }
      for (let each = 0; each < 5; each++) await service.use('/v1/images/generations', asked)
      await service.use('/v1/images/generations', asked, 'other')
      await page.getByRole('button', { name: 'Refresh' }).click()
      const rows = page.locator('#job-list > li')
      await vi.waitFor(async () => expect(await rows.count()).toBe(5))
      expect(await rows.locator('.status').allTextContents()).toEqual(['queued', ...Array(4).fill('running')])
      await rows.first().getByText('place 1 in the queue').waitFor()
      await rows.last().getByRole('progressbar').waitFor()
      await rows.last().getByText('denoising, 1 of 4').waitFor()
      await rows.last().getByRole('button', { name: 'Preview' }).click()
      await rows.last().getByRole('img', { name: 'What the picture will be' }).waitFor()
      await checkAccessibility(page)

      await rows.first().getByRole('button', { name: 'Cancel' }).click()
      await page.locator('#jobs-status').getByText('Cancelled').waitFor()
      await rows.first().locator('.status').getByText('cancelled').waitFor()
      await rows.first().getByRole('button', { name: 'Remove' }).click()
      await vi.waitFor(async () => expect(await rows.count()).toBe(4))
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('jobs-title')
    },
  )

  it('show what came of each kind, as soon as it is there', async () => {
    let release = () => {}
    service.gate = new Promise<void>((resolve) => (release = resolve))
    const page = await service.signIn({ path: '#jobs', width: 390 })
    await service.use('/v1/images/generations', { prompt: 'a', size: '64x64', background: true })
    await service.use('/v1/systemone', { state: 'x', questions: QUESTIONS, background: true })
    await service.use('/v1/decisions', {
      input: 'x',
      questions: [{ type: 'predicate', instructions: 'Urgent?' }],
      background: true,
    })
    await page.getByRole('button', { name: 'Refresh' }).click()
    const rows = page.locator('#job-list > li')
    const [decisions, systemone, picture] = [rows.nth(0), rows.nth(1), rows.nth(2)]
    await decisions.getByRole('button', { name: 'Result' }).click()
    await decisions.getByRole('region', { name: 'Result as JSON' }).getByText('predicate').waitFor()
    await systemone.getByRole('button', { name: 'Result' }).click()
    await systemone.getByRole('heading', { name: 'urgent' }).waitFor()
    expect(await decisions.getByRole('region').count()).toBe(0)
    await picture.getByRole('button', { name: 'Preview' }).click()
    await picture.getByText('Nothing to see yet.').waitFor()
    release()
    await picture.getByRole('img', { name: 'Picture 1' }).waitFor()
    await checkAccessibility(page)
    await picture.getByRole('button', { name: 'Edit this' }).click()
    await page.getByRole('list', { name: 'Chosen pictures' }).getByText('picture-1.png').waitFor()
  })

  it('offer the results of a batch as a file', async () => {
    const page = await service.signIn({ path: '#jobs' })
    await page.request.post(`${service.url}/v1/batches`, {
      headers: { authorization: 'Bearer right', 'content-type': 'application/jsonl' },
      data: `${JSON.stringify({ custom_id: 'a', state: 'x', questions: QUESTIONS })}\nbroken`,
    })
    await vi.waitFor(async () => expect(await statuses(page)).toEqual(['succeeded']))
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByText('1 of 2 lines answered, 1 failed').waitFor()
    await page.getByRole('button', { name: 'Result' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download the results' }).click()
    expect((await download).suggestedFilename()).toMatch(/^job_[0-9a-f]{32}\.jsonl$/)
  })

  it('offer what a batch has answered before it was cancelled', async () => {
    const page = await service.signIn({ path: '#jobs' })
    deciding = FOREVER
    await page.request.post(`${service.url}/v1/batches`, {
      headers: { authorization: 'Bearer right', 'content-type': 'application/jsonl' },
      data: `broken\n${JSON.stringify({ custom_id: 'a', state: 'x', questions: QUESTIONS })}`,
    })
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByText('0 of 2 lines answered, 1 failed').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Result' }).click()
    await page.getByText('The job was cancelled.').waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download the results' }).click()
    expect(await readFile((await (await download).path())!, 'utf8')).toContain('"line":1')
  })
})
