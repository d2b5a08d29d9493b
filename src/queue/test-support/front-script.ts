// A front in a process of its own: `URL KEYS [SECRET]`. It takes the key `a` of an account that has paid in, sends webhooks
// to any address where it has a secret, and prints where it listens.

import { createServer, openRedisStore } from '../../http/index.ts'
import { serveHttp } from '../../http/serve/serve-http.ts'
import { createQueueEngine, openJobStore } from '../index.ts'

const [, , connection = '', keys = '', secret] = process.argv
const server = createServer({
  engine: createQueueEngine({ connection, keys }),
  store: await openRedisStore(connection, { acceptLoss: true }),
  keys: [{ key: 'a', id: 'me', prepaid: '1' }],
  webhooks: { ...(secret !== undefined && { secret }), allowPrivate: true },
  jobs: { concurrency: 100, store: await openJobStore({ connection, keys }) },
})
const { url } = await serveHttp(server, '127.0.0.1', 0)
process.stdout.write(`listening on ${url}\n`)
