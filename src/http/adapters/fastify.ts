/**
 * The service in an app of Fastify.
 *
 * @module tessera-onnx/fastify
 */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { countSegments, dropSegments, type FetchServer } from './fetch-server.ts'
import { toWebRequest } from './node-messages.ts'

/**
 * A plugin for Fastify: `app.register(toFastifyPlugin(server), { prefix: '/ai' })`. Not to be wrapped with
 * fastify-plugin, which would undo the prefix. Bodies below the prefix are read by the service, so its limit applies.
 *
 * @example
 * ```ts
 * const server = createServer({ engine, keys: ['a-long-secret'] })
 * await fastify().register(toFastifyPlugin(server), { prefix: '/ai' })
 * ```
 */
export function toFastifyPlugin(server: FetchServer): (fastify: FastifyInstance) => Promise<void> {
  return async (fastify) => {
    const depth = countSegments(fastify.prefix)
    const answer = async (request: FastifyRequest, reply: FastifyReply) => {
      const { raw } = request
      const response = await server.fetch(toWebRequest(raw, reply.raw, dropSegments(raw.url ?? '/', depth)))
      return reply.send(response)
    }
    fastify.removeAllContentTypeParsers()
    fastify.addContentTypeParser('*', (_request, _payload, done) => done(null))
    // Fastify itself refuses a type that it can't read, before any parser. The service has its own answer to that.
    fastify.setErrorHandler((error: FastifyError, request, reply) => {
      if (error.code !== 'FST_ERR_CTP_INVALID_MEDIA_TYPE') throw error
      return answer(request, reply)
    })
    fastify.all('/', answer)
    fastify.all('/*', answer)
  }
}
