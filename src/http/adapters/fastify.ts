/**
 * The service in an app of Fastify.
 *
 * @module tessera-onnx/fastify
 */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { InvalidRequestError } from '../../errors/index.ts'
import { countSegments, dropSegments, type FetchServer, requireServer } from './fetch-server.ts'
import { toWebRequest } from './node-messages.ts'

/** The first that sends web responses; those before it answer everything with `{}`. */
const OLDEST = [4, 26] as const

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
  requireServer(server)
  return async (fastify) => {
    requireVersion(fastify.version)
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

/** @throws InvalidRequestError for a Fastify that is too old */
function requireVersion(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return
  throw new InvalidRequestError('fastify', `must be ${OLDEST.join('.')} or later, got ${version}: npm install fastify`)
}
