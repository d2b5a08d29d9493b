export interface FilePart {
  readonly bytes: Uint8Array
  /** Bytes of the whole file. */
  readonly size: number
}

/**
 * A part of a file, fewer bytes where the file ends. Nothing is kept. Undefined where there is none to be had: of a server
 * that sends whole files only, or that does not let pages of other sites see `Content-Range`.
 */
export async function downloadPart(
  url: string,
  [start, length]: readonly [start: number, length: number],
  signal?: AbortSignal,
): Promise<FilePart | undefined> {
  const headers = { range: `bytes=${start}-${start + length - 1}` }
  // As whole files are asked for: a header that the HTTP cache of the browser has may be that of an older version.
  const settings = { cache: 'no-cache', headers, ...(signal && { signal }) } as const
  const response = await fetch(url, settings).catch(() => undefined)
  const size = /\/(\d+)$/.exec(response?.headers.get('content-range') ?? '')?.[1]
  if (response?.status !== 206 || size === undefined) {
    await response?.body?.cancel()
    return undefined
  }
  const bytes = await response.arrayBuffer().catch(() => undefined)
  const expected = Math.min(length, Number(size) - start)
  return bytes?.byteLength === expected ? { bytes: new Uint8Array(bytes), size: Number(size) } : undefined
}
