import { createRequire } from 'node:module'
import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { toHonoHandler } from './hono.ts'

/** Another copy of Hono than that of `import`, as apps in CommonJS have. */
const other: { readonly Hono: typeof Hono } = createRequire(import.meta.url)('hono')
const server = { fetch: (request: Request) => Promise.resolve(new Response(new URL(request.url).pathname)) }

it.each([
  ['this', Hono],
  ['another', other.Hono],
])('takes the mount off in an app of %s copy of Hono', async (_, App) => {
  const app = new App().route('/api', new App().all('/:tenant/ai/*', toHonoHandler(server)))
  expect(await (await app.request('/api/shop/ai/v1/models')).text()).toBe('/v1/models')
})
