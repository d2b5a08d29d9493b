// A front of the fleet, in a process of its own: `REDIS_URL KEYS HOST PORT JOURNAL SECRET`.

import { createServer, openRedisStore } from '../../../src/http/index.ts'
import { serveHttp } from '../../../src/http/serve/serve-http.ts'
import { createQueueEngine, openJobStore } from '../../../src/queue/index.ts'
import { TENANTS } from './tenants.ts'

const [, , connection = '', keys = '', host = '', port = '', journal = '', secret = ''] = process.argv
const server = createServer({
  engine: createQueueEngine({ connection, keys }),
  store: await openRedisStore(connection),
  journal,
  webhooks: { secret, allowPrivate: true },
  keys: TENANTS.map((id) => ({ key: id, id, prepaid: '1000000' })),
  limits: { concurrency: 1000 },
  // A fleet whose parts are killed has no fault of its own: what it tells of as one is to be found out.
  log: ({ route, status, error }) => {
    if (error && status === 500)
      process.stderr.write(`${route} ${error.stack} ${(error.cause as Error | undefined)?.stack}\n`)
  },
  jobs: { concurrency: 1000, store: await openJobStore({ connection, keys }) },
})
await serveHttp(server, host, Number(port))
