// Serves the example page: node examples/browser/serve.mjs [port]
// Everything comes from this server; a real app does the same with its own.
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const fromRoot = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** What a page needs, by the start of its URL. */
export const FOLDERS = {
  '/tessera/': fromRoot('dist/web'),
  '/onnxruntime/': fromRoot('node_modules/onnxruntime-web/dist'),
  '/models/': fromRoot('models'),
  '/': fromRoot('examples/browser'),
}

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
}

const HEADERS = {
  // WebAssembly with threads shares memory, which only pages may do that are isolated from others.
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  // No eval and nothing from elsewhere. WebAssembly must be allowed by name.
  'content-security-policy':
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; " +
    "style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cache-control': 'no-cache',
}

/** @returns {Promise<{ url: string, close(): Promise<void> }>} */
export async function startServer({ port = 0, folders = FOLDERS } = {}) {
  const server = createServer((request, response) => {
    answer(request, response, folders).catch(() => response.destroy())
  })
  await new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  }
}

async function answer(request, response, folders) {
  const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname)
  const prefix = Object.keys(folders).find((start) => path.startsWith(start))
  // `normalize` leaves no way up: what began with / still does.
  const file = join(folders[prefix], normalize(`/${path.slice(prefix.length)}`), path.endsWith('/') ? 'index.html' : '')
  const found = await stat(file).catch(() => undefined)
  if (!found?.isFile()) return response.writeHead(404, HEADERS).end()
  response.writeHead(200, {
    ...HEADERS,
    'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
    'content-length': found.size,
    etag: `"${found.size}-${found.mtimeMs}"`,
  })
  if (request.method === 'HEAD') return response.end()
  createReadStream(file)
    .on('error', () => response.destroy())
    .pipe(response)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { url } = await startServer({ port: Number(process.argv[2] ?? 8080) })
  console.log(`Open ${url}`)
}
