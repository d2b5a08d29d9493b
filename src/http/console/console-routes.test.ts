import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { bundleConsole } from '../../../scripts/bundle-console.ts'
import { createServer } from '../index.ts'
import { get } from '../test-support/requests.ts'
import { createStubEngine } from '../test-support/stub-engine.ts'

const { engine } = createStubEngine()
const keyed = createServer({ engine, keys: ['k'] })

beforeAll(() => bundleConsole(fileURLToPath(new URL('../../../out/console', import.meta.url))))

describe('the console', () => {
  it.each([
    ['/console', 'text/html; charset=utf-8'],
    ['/console/page.css', 'text/css; charset=utf-8'],
    ['/console/page.js', 'text/javascript; charset=utf-8'],
  ])('serves %s to anyone, under a policy that lets nothing else in', async (path, type) => {
    const { status, headers } = await keyed.fetch(get(path))
    expect([status, headers.get('content-type')]).toEqual([200, type])
    const policy = headers.get('content-security-policy')!
    expect(policy).toMatch(/^default-src 'none'; /)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect([headers.get('x-content-type-options'), headers.get('referrer-policy')]).toEqual(['nosniff', 'no-referrer'])
  })

  it('has no script, style or address that the policy would refuse', async () => {
    const html = await (await keyed.fetch(get('/console'))).text()
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:/i)
    expect(html.match(/<script[^>]*>[^<]*/g)).toEqual(['<script type="module" src="console/page.js">'])
    const addresses = [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address]) => address!)
    const absolute = addresses.filter((address) => /^(\/|[a-z]+:)/.test(address))
    expect(absolute).toEqual([expect.stringMatching(/^data:image\/svg/)])
  })

  it('asks for a key only where there are keys', async () => {
    const text = async (server: { fetch: typeof keyed.fetch }) => (await server.fetch(get('/console'))).text()
    expect(await text(keyed)).toContain('data-keys="yes"')
    expect(await text(createServer({ engine }))).toContain('data-keys="no"')
  })

  it('leads from an address with a slash to the one without, wherever it is mounted', async () => {
    const { status, headers } = await keyed.fetch(get('/console/'))
    expect(status).toBe(308)
    const { pathname } = new URL(headers.get('location')!, 'http://server/some/prefix/console/')
    expect(pathname).toBe('/some/prefix/console')
  })

  it('is not there where it is not wanted', async () => {
    const { fetch } = createServer({ engine, keys: ['k'], console: false })
    for (const path of ['/console', '/console/', '/console/page.js']) expect((await fetch(get(path))).status).toBe(404)
  })

  it.each(['/console', '/console/page.js', '/console/page.css', '/openapi.json'])(
    'holds what anyone may ask for in memory once, such as %s',
    async (path) => {
      const read = async () => (await (await keyed.fetch(get(path))).body!.getReader().read()).value!
      const first = await read()
      expect((await read()).buffer).toBe(first.buffer)
    },
  )

  it('serves no other file', async () => {
    for (const path of ['/console/page.ts', '/console/..%2fworker.js', '/console/page.html']) {
      expect((await keyed.fetch(get(path))).status).toBe(404)
    }
  })
})
