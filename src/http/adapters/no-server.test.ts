import { expect, it } from 'vitest'
import { createStubEngine } from '../test-support/stub-engine.ts'
import { toExpressErrorHandler, toExpressHandler } from './express.ts'
import { toFastifyPlugin } from './fastify.ts'
import type { FetchServer } from './fetch-server.ts'
import { toHonoHandler } from './hono.ts'
import { toNextHandlers } from './next.ts'
import { createNodeServer, toNodeListener } from './node.ts'

const adapters = {
  toExpressHandler,
  toExpressErrorHandler,
  toFastifyPlugin,
  toHonoHandler,
  toNextHandlers,
  toNodeListener,
  createNodeServer,
}

it.each(Object.entries(adapters))('%s says at once that an engine is no server', (_, adapt) => {
  const { engine } = createStubEngine()
  const reason = 'server: must be a server, as createServer() makes one, got '
  expect(() => adapt(engine as unknown as FetchServer)).toThrow(`${reason}an object`)
  expect(() => adapt(Promise.resolve({}) as unknown as FetchServer)).toThrow(`${reason}a promise: await it first`)
})
