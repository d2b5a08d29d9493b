import { readFile } from 'node:fs/promises'
import { locateOwn } from '../../models/find/locate-own.ts'
import { createPiecesResponse } from '../json-response.ts'
import type { Route } from '../route.ts'

/** Nothing but what this server itself sends, nothing inline, in no frame. Pictures of answers are blobs. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

const HEADERS = {
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/**
 * The console: a page under `/console`. It is the same for everyone and holds no data; what it shows it asks the other
 * routes for, with the key that its user gives. Its files are read once, and all who are sent them share their bytes.
 *
 * @param keys Whether the server asks for keys.
 */
export function createConsoleRoutes(keys: boolean): Route[] {
  const open = (path: string, handle: Route['handle']): Route => ({
    method: 'GET',
    path,
    access: 'open',
    dialect: 'systemone',
    handle,
  })
  const file = (path: string, name: string, type: string, change = (text: string) => text) => {
    const headers = { ...HEADERS, 'content-type': `${type}; charset=utf-8` }
    let pieces: readonly Uint8Array[] | undefined
    return open(path, async () => {
      pieces ??= [Buffer.from(change(await readFile(new URL(name, locateFolder()), 'utf8')))]
      return createPiecesResponse(pieces, { headers })
    })
  }
  const sayKeys = (html: string) => html.replace('data-keys="yes"', `data-keys="${keys ? 'yes' : 'no'}"`)
  return [
    file('/console', 'page.html', 'text/html', sayKeys),
    file('/console/page.css', 'page.css', 'text/css'),
    file('/console/page.js', 'page.js', 'text/javascript'),
    // The page's own addresses are relative, and would be wrong below a slash.
    open('/console/', () => new Response(null, { status: 308, headers: { location: '../console' } })),
  ]
}

/** The built package has the files beside this code. From source they are the ones that the test set-up makes. */
function locateFolder(): URL {
  return locateOwn(
    'console',
    () => new URL(import.meta.url.endsWith('.ts') ? '../../../out/console/' : './console/', import.meta.url),
  )
}
