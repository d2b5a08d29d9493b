import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { bundleConsole } from '../../scripts/bundle-console.ts'
import { createNodeServer } from '../../src/http/adapters/node.ts'
import { createServer, type KeyConfig } from '../../src/http/index.ts'
import { listen, type Listening } from '../../src/http/test-support/listen.ts'
import { createStubEngine } from '../../src/http/test-support/stub-engine.ts'
import type { Engine, Warning } from '../../src/index.ts'
import { findChromium } from '../helpers/chromium.ts'
import { type OpenPage, openPage, type PageOptions } from './console-page.ts'

type Decider = Pick<Engine, 'decide' | 'countTokens' | 'models'> & Partial<Pick<Engine, 'dispose'>>
type Draw = Engine['generateImage'] & Engine['editImage']

export interface ConsoleService {
  readonly browser: Browser
  readonly url: string
  /** A real picture, 64 x 48: the answer to every request for one. */
  readonly png: Buffer
  /** Requests for pictures. */
  readonly drawn: object[]
  /** Pictures wait for this, a quarter done. */
  gate: Promise<unknown>
  /** What pictures come with. */
  warnings: Warning[]
  visit(options?: PageOptions & { path?: string }): Promise<Page>
  /** By default with the key `right`, of the account `me`; `other` belongs to another. */
  signIn(options?: PageOptions & { path?: string }): Promise<Page>
  /** Uses the service as any client does. */
  use(path: string, body: object, key?: string): Promise<void>
}

const KEYS: KeyConfig[] = [
  { key: 'right', id: 'me', freeTokens: 1000, prepaid: '10' },
  { key: 'other', id: 'other' },
]

export const QUESTIONS = { urgent: { type: 'noul', instructions: 'Is it urgent?' } } as const

const executablePath = findChromium()

/** Without Chromium these tests are skipped: give its path as `CHROMIUM`. */
export const hasChromium = executablePath !== undefined

/**
 * Starts Chromium for the tests of a file, and a service of its own for each. After each test, no page may have met a
 * fault, broken its policy, or asked any other origin for anything.
 */
export function setUpConsole(
  startDecider: () => Promise<Decider> = async () => createStubEngine().engine,
): ConsoleService {
  let decider: Decider
  let service: Listening
  let pages: OpenPage[] = []

  const draw: Draw = async (body, { signal, onProgress, onPreview } = {}) => {
    self.drawn.push(body)
    onProgress?.({ stage: 'denoising', done: 1, total: 4 })
    onPreview?.({ picture: 0, step: 1, steps: 4, b64_json: self.png.toString('base64') })
    await Promise.race([self.gate, new Promise((_, reject) => signal?.addEventListener('abort', reject))])
    const image = { b64_json: self.png.toString('base64') }
    return { data: [image, ...Array.from({ length: (body.n ?? 1) - 1 }, () => image)], warnings: self.warnings }
  }

  const self = {
    gate: Promise.resolve(),
    warnings: [] as Warning[],
    async visit({ path = '', ...options } = {}) {
      const opened = await openPage(self.browser, `${self.url}/console${path}`, options)
      pages.push(opened)
      return opened.page
    },
    async signIn(options) {
      const page = await self.visit(options)
      await page.getByLabel('API key').fill('right')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('link', { name: 'Usage' }).waitFor()
      return page
    },
    async use(path, body, key = 'right') {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
      const response = await fetch(self.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
      await response.arrayBuffer()
    },
  } as { -readonly [name in keyof ConsoleService]: ConsoleService[name] }

  beforeAll(async () => {
    await bundleConsole(fileURLToPath(new URL('../../out/console', import.meta.url)))
    self.browser = await chromium.launch({ executablePath: executablePath!, args: ['--no-sandbox'] })
    self.png = await sharp({ create: { width: 64, height: 48, channels: 3, background: '#c33' } })
      .png()
      .toBuffer()
    decider = await startDecider()
  })
  afterAll(async () => {
    await self.browser.close()
    await decider.dispose?.()
  })
  beforeEach(async () => {
    pages = []
    self.drawn = []
    self.gate = Promise.resolve()
    self.warnings = []
    const engine = {
      decide: decider.decide.bind(decider),
      countTokens: decider.countTokens.bind(decider),
      models: decider.models.bind(decider),
      generateImage: draw,
      editImage: draw,
    }
    service = await listen(createNodeServer(createServer({ engine, keys: KEYS })))
    self.url = service.url
  })
  afterEach(async () => {
    await Promise.all(pages.map(({ close }) => close()))
    await service.close()
    expect(pages.flatMap(({ faults }) => faults)).toEqual([])
  })
  return self
}
