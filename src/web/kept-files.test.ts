import { afterEach, expect, it, vi } from 'vitest'
import { download } from './download.ts'
import { findKept, keyOf } from './kept-files.ts'
import { file, stubSite } from './test-support/fake-site.ts'

const URL = 'https://app.example/model/config.json'
const read = async () => new TextDecoder().decode(await download(URL))
const openCaches = () => caches.open('tessera-models')
afterEach(() => void vi.unstubAllGlobals())

/** A service worker that answers from all caches what it can, as many do. */
function answerFromCaches(): void {
  const load = fetch
  vi.stubGlobal('fetch', async (url: string, init: RequestInit = {}) => {
    const found = init.method === undefined ? await (await openCaches()).match(url) : undefined
    return found ?? load(url, init)
  })
}

it('takes the new version of a file behind a service worker that answers from all caches', async () => {
  const site = stubSite({ [URL]: 'one' })
  answerFromCaches()
  expect(await read()).toBe('one')
  site.answers[URL] = 'two'
  expect([await read(), await read()]).toEqual(['two', 'two'])
  expect(site.requests).toEqual(['GET', 'HEAD', 'GET', 'HEAD'].map((method) => `${method} ${URL}`))
})

it('takes over what version 0.1.0 kept under the address of the file', async () => {
  const site = stubSite({ [URL]: 'one' })
  await (await openCaches()).put(URL, file('one'))
  expect(await read()).toBe('one')
  expect(site.requests).toEqual([`HEAD ${URL}`])
  expect(site.kept(URL)).toBe(200)
  expect(await (await openCaches()).match(URL)).toBeUndefined()
})

it('uses it where storage is too full to take it over', async () => {
  const site = stubSite({ [URL]: 'one' })
  const cache = await openCaches()
  await cache.put(URL, file('one'))
  cache.put = () => Promise.reject(new DOMException('full', 'QuotaExceededError'))
  expect([await read(), await read()]).toEqual(['one', 'one'])
  expect(site.requests).toEqual([`HEAD ${URL}`, `HEAD ${URL}`])
})

it('lets go of the old version where storage is too full for the new one', async () => {
  const site = stubSite({ [URL]: 'one' })
  await read()
  const cache = await openCaches()
  cache.put = () => Promise.reject(new DOMException('full', 'QuotaExceededError'))
  site.answers[URL] = 'two'
  expect(await read()).toBe('two')
  expect(site.kept(URL)).toBeUndefined()
})

it('begins anew where what is kept is damaged', async () => {
  const site = stubSite({ [URL]: 'one' })
  await read()
  const cache = await openCaches()
  const { match } = cache
  cache.match = () => Promise.reject(new DOMException('Unexpected internal error.', 'UnknownError'))
  caches.delete = async () => {
    cache.match = match
    return cache.delete(keyOf(URL))
  }
  expect([await read(), site.kept(URL)]).toEqual(['one', 200])
  expect(site.requests).toEqual([`GET ${URL}`, `GET ${URL}`])
})

it('keeps no copy of what is packed with an extension, where asking for a file that is missing fails', async () => {
  const packed = 'chrome-extension://app/models'
  stubSite({ [`${packed}/config.json`]: 'one', [`${packed}/model_index.json`]: undefined })
  expect(await download(`${packed}/model_index.json`)).toBeUndefined()
  expect(await download(`${packed}/config.json`)).toEqual(new TextEncoder().encode('one'))
  expect(await findKept(`${packed}/config.json`)).toBeUndefined()
})
