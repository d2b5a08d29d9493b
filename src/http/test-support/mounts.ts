import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { toExpressErrorHandler, toExpressHandler } from '../adapters/express.ts'
import { toFastifyPlugin } from '../adapters/fastify.ts'
import { toHonoHandler } from '../adapters/hono.ts'
import { createNodeServer, toNodeListener } from '../adapters/node.ts'
import type { Server } from '../index.ts'
import { listen, type Listening } from './listen.ts'

export interface Mounted extends Listening {
  /** Where the service is below `url`. */
  readonly prefix: string
}

/** Bytes of a JSON body that a parser in front of the service lets through. */
export const MOUNT_LIMIT = 4_000_000

/** The ways in which a service stands in an app, each listening. */
export const mounts: Readonly<Record<string, (server: Server) => Promise<Mounted>>> = {
  node: async (server) => ({ ...(await listen(createNodeServer(server))), prefix: '' }),
  'express, at a path': async (server) => {
    const app = express().use('/ai', toExpressHandler(server))
    return { ...(await listen(app)), prefix: '/ai' }
  },
  'express, behind a body parser': async (server) => {
    const app = express()
      .use(express.json({ limit: MOUNT_LIMIT }))
      .use('/api/ai', toExpressHandler(server), toExpressErrorHandler(server))
    return { ...(await listen(app)), prefix: '/api/ai' }
  },
  'express, in a router': async (server) => {
    const router = express.Router().use('/ai', toExpressHandler(server))
    return { ...(await listen(express().use('/:tenant', router))), prefix: '/some%20one/ai' }
  },
  'fastify, at a prefix': async (server) => {
    const app = createFastify()
    await app.register(toFastifyPlugin(server), { prefix: '/ai' })
    return { ...(await fastifyListen(app)), prefix: '/ai' }
  },
  'fastify, at a nested prefix with a parameter': async (server) => {
    const app = createFastify()
    await app.register(
      async (inner) => {
        await inner.register(toFastifyPlugin(server), { prefix: '/ai' })
      },
      { prefix: '/:tenant' },
    )
    return { ...(await fastifyListen(app)), prefix: '/some%20one/ai' }
  },
  'hono, at a path': async (server) => {
    const app = new Hono().all('/ai/*', toHonoHandler(server))
    return { ...(await listen(toNodeListener(app))), prefix: '/ai' }
  },
  'hono, in a sub-app with a parameter': async (server) => {
    const app = new Hono().route('/:tenant', new Hono().all('/ai/*', toHonoHandler(server)))
    return { ...(await listen(toNodeListener(app))), prefix: '/some%20one/ai' }
  },
  'hono, mounted': async (server) => {
    const app = new Hono().mount('/ai', server.fetch)
    return { ...(await listen(toNodeListener(app))), prefix: '/ai' }
  },
}

/** Closes connections that its clients leave open, as `listen` does. */
const createFastify = () => Fastify({ forceCloseConnections: true })

async function fastifyListen(app: ReturnType<typeof Fastify>): Promise<Listening> {
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return { url, port: Number(new URL(url).port), close: () => app.close() }
}
