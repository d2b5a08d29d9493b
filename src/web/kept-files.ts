const CACHE = 'tessera-models'

/** What fails where an extension has no such file, and needs no copy: it is on this machine already. */
export function isPacked(url: string): boolean {
  return !/^https?:/.test(url)
}

/**
 * Files are kept under addresses that nobody asks for. Service workers that answer from all caches (`caches.match(request)`)
 * would find them under their own, and give the page the old version where the server has a new one.
 */
export function keyOf(url: string): string {
  return `https://tessera.invalid/${encodeURIComponent(url)}`
}

/** Nothing where Cache Storage is not to be had, as on pages without TLS; in frames without an origin asking for it throws. */
async function openCache(url: string): Promise<Cache | undefined> {
  if (isPacked(url)) return undefined
  try {
    return await globalThis.caches?.open(CACHE)
  } catch {
    return undefined
  }
}

/** What Cache Storage has of a file: the file, or that there is none. */
export async function findKept(url: string): Promise<Response | undefined> {
  const cache = await openCache(url)
  if (cache === undefined) return undefined
  try {
    return (await cache.match(keyOf(url))) ?? (await takeOver(cache, url))
  } catch {
    // What is damaged can be neither read nor replaced; without it a new one is begun.
    await caches.delete(CACHE).catch(() => {})
    return undefined
  }
}

/** Version 0.1.0 kept files under their own addresses. */
async function takeOver(cache: Cache, url: string): Promise<Response | undefined> {
  const old = await cache.match(url)
  if (old === undefined) return undefined
  const moved = await cache.put(keyOf(url), old).then(
    () => true,
    () => false,
  )
  if (moved) await cache.delete(url).catch(() => {})
  return cache.match(moved ? keyOf(url) : url)
}

/**
 * Storage may be full; then the file is loaded again next time. The version before it goes all the same: beside new files of the model it would
 * be mixed with these while the server is away, and its room is what the next one needs.
 */
export async function keepFile(url: string, response: Response): Promise<void> {
  const cache = await openCache(url)
  await cache?.put(keyOf(url), response).catch(() => forgetKept(url))
}

/** Lets go of what is kept of a file, so that it is loaded anew whatever version its server names. */
export async function forgetKept(url: string): Promise<void> {
  const cache = await openCache(url)
  await Promise.all([keyOf(url), url].map((key) => cache?.delete(key).catch(() => {})))
}
