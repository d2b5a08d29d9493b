import { afterEach, describe, expect, it, vi } from 'vitest'
import { DownloadFailedError } from '../errors/index.ts'
import { downloadPart } from './download-part.ts'
import { download, measureDownload } from './download.ts'
import { file, page, refusal, stubSite } from './test-support/fake-site.ts'

const URL = 'https://app.example/model/config.json'
const read = async () => new TextDecoder().decode(await download(URL))
afterEach(() => void vi.unstubAllGlobals())

function refuseStorage(): never {
  throw new DOMException('the document is sandboxed', 'SecurityError')
}

describe('a file', () => {
  it('is loaded once, and again when it has changed', async () => {
    const site = stubSite({ [URL]: 'one' })
    expect([await read(), await read()]).toEqual(['one', 'one'])
    expect(site.requests).toEqual([`GET ${URL}`, `HEAD ${URL}`])
    site.answers[URL] = 'two'
    expect(await read()).toBe('two')
    site.answers[URL] = undefined
    expect(await read()).toBe('two')
  })

  it.each([
    ['404', refusal(404)],
    ['403', refusal(403)],
    ['a page', page()],
  ])('is not there where the server answers %s, until it is', async (_, answer) => {
    const site = stubSite({ [URL]: answer })
    expect(await download(URL)).toBeUndefined()
    expect(site.kept(URL)).toBe(404)
    site.answers[URL] = undefined
    expect(await download(URL)).toBeUndefined()
    site.answers[URL] = 'one'
    expect(await read()).toBe('one')
  })

  it.each([
    ['404', refusal(404), ['HEAD']],
    ['a page', page(), ['HEAD']],
    ['403, as storage does that allows GET alone', refusal(403), ['HEAD', 'GET']],
  ])('that was not there is asked for by what tells where the server answers %s', async (_, answer, methods) => {
    const site = stubSite({ [URL]: answer })
    await download(URL)
    site.requests.length = 0
    expect(await download(URL)).toBeUndefined()
    expect(site.requests).toEqual(methods.map((method) => `${method} ${URL}`))
  })

  it.each([
    ['a page', page(), 'a page (text/html)'],
    ['403', refusal(403), '403'],
  ])('that is kept is not lost to %s', async (_, answer, reason) => {
    const site = stubSite({ [URL]: 'one' })
    await read()
    site.answers[URL] = answer
    const failed = await download(URL).catch((error: unknown) => error)
    expect(DownloadFailedError.isInstance(failed) && failed.reason).toContain(reason)
    expect(site.kept(URL)).toBe(200)
    site.answers[URL] = undefined
    expect(await read()).toBe('one')
  })

  it.each([429, 500, 503])('that is kept is used where the server answers %d', async (status) => {
    const site = stubSite({ [URL]: 'one' })
    await read()
    site.answers[URL] = refusal(status)
    expect(await read()).toBe('one')
    site.answers[URL] = 'two'
    expect(await read()).toBe('two')
  })

  it('is asked for at its server, whatever the HTTP cache of the browser holds', async () => {
    stubSite({ [URL]: 'one' })
    const asked = vi.fn<typeof fetch>(fetch)
    vi.stubGlobal('fetch', asked)
    await measureDownload(URL)
    expect([await read(), await read()]).toEqual(['one', 'one'])
    await downloadPart(URL, [0, 2])
    const modes = asked.mock.calls.map(([, init]) => `${init?.method ?? 'GET'} ${init?.cache}`)
    expect(modes).toEqual(['HEAD no-cache', 'GET no-cache', 'HEAD no-cache', 'GET no-cache'])
  })

  it('of storage that allows other origins GET alone is loaded again when it has changed', async () => {
    const allowing = (text: string) => (method: string) => {
      if (method !== 'GET') throw new TypeError('Failed to fetch')
      return file(text)
    }
    const site = stubSite({ [URL]: allowing('one') })
    expect([await read(), await read()]).toEqual(['one', 'one'])
    expect(site.requests).toEqual(['GET', 'HEAD', 'GET'].map((method) => `${method} ${URL}`))
    site.answers[URL] = allowing('two')
    expect(await read()).toBe('two')
  })

  it('that is kept stays so when the server says that there is none', async () => {
    const site = stubSite({ [URL]: 'one' })
    await read()
    site.answers[URL] = refusal(404)
    expect(await download(URL)).toBeUndefined()
    expect(site.kept(URL)).toBe(200)
  })

  it('is not loaded again where only one of the answers marks its version as weak', async () => {
    const answer = (etag: string) => new Response('one', { headers: { etag } })
    const site = stubSite({ [URL]: (method) => answer(method === 'HEAD' ? '"1"' : 'W/"1"') })
    expect([await read(), await read()]).toEqual(['one', 'one'])
    site.answers[URL] = (method) => answer(method === 'HEAD' ? '"2"' : 'W/"2"')
    await read()
    expect(site.requests).toEqual(['GET', 'HEAD', 'HEAD', 'GET'].map((method) => `${method} ${URL}`))
  })

  it('that is kept is loaded again where the browser evicts it while it is read', async () => {
    const site = stubSite({ [URL]: 'one' })
    await read()
    site.evict(URL)
    expect(await measureDownload(URL)).toBe(3)
    expect(await read()).toBe('one')
    expect(site.requests.slice(1)).toEqual([`HEAD ${URL}`, `HEAD ${URL}`, `GET ${URL}`])
    site.evict(URL)
    site.answers[URL] = undefined
    await expect(read()).rejects.toThrow('the request failed')
  })

  it('is loaded each time in a frame that may not even ask for Cache Storage', async () => {
    const site = stubSite({ [URL]: 'one' })
    vi.stubGlobal('caches', undefined)
    Object.defineProperty(globalThis, 'caches', { configurable: true, get: refuseStorage })
    expect([await read(), await read()]).toEqual(['one', 'one'])
    expect(site.requests).toEqual([`GET ${URL}`, `GET ${URL}`])
  })

  it('that is too large for the browser is refused by its name and size', async () => {
    const site = stubSite({ [URL]: 'one' })
    const unreadable = new DOMException('The requested file could not be read', 'NotReadableError')
    const reading = vi.spyOn(Blob.prototype, 'arrayBuffer').mockRejectedValue(unreadable)
    const refusal = { code: 'insufficient_memory', needed: 3, reason: expect.stringContaining(`${URL} has 3 bytes`) }
    await expect(download(URL)).rejects.toMatchObject(refusal)
    expect(site.kept(URL)).toBeUndefined()
    reading.mockRestore()
    expect(await read()).toBe('one')
  })

  it.each([401, 500])('gives an error where the server answers %i, with or without a page', async (status) => {
    for (const answer of [refusal(status), page(status)]) {
      const site = stubSite({ [URL]: answer })
      await expect(download(URL)).rejects.toThrow(`answered ${status}`)
      expect(site.kept(URL)).toBeUndefined()
    }
  })
})

describe('the size of a file', () => {
  it('is what HEAD says, or what is kept', async () => {
    const site = stubSite({ [URL]: 'four' })
    expect(await measureDownload(URL)).toBe(4)
    await read()
    site.answers[URL] = undefined
    expect(await measureDownload(URL)).toBe(4)
  })

  it.each([401, 405, 500, 501])('is 0 where the server answers %i to HEAD', async (status) => {
    stubSite({ [URL]: (method) => (method === 'HEAD' ? refusal(status) : file('four')) })
    expect(await measureDownload(URL)).toBe(0)
    expect(await read()).toBe('four')
  })

  it('is none where the server cannot be reached, and an error once its signal fires', async () => {
    stubSite({ [URL]: undefined })
    expect(await measureDownload(URL)).toBeUndefined()
    await expect(measureDownload(URL, AbortSignal.abort())).rejects.toThrow(DownloadFailedError)
  })

  it.each([
    ['404', refusal(404)],
    ['403', refusal(403)],
    ['a page', page()],
  ])('is none where it answers %s', async (_, answer) => {
    stubSite({ [URL]: answer })
    expect(await measureDownload(URL)).toBeUndefined()
  })
})
