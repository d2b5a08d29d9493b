import { createServer, openRedisStore } from '../index.ts'
import { bearer, IMAGE_BODIES, post } from './requests.ts'
import { createStubEngine } from './stub-engine.ts'

/** A process for tests to kill: it sets the price of four pictures aside, says so, and draws for ever. */
const [, , url] = process.argv
const [path, body] = IMAGE_BODIES[0]
const stub = createStubEngine()
stub.hold()
const server = createServer({
  engine: stub.engine,
  store: await openRedisStore(url!),
  keys: [{ key: 'k', id: 'a', prepaid: '1' }],
})
void server.fetch(post({ ...body, n: 4 }, { path, headers: bearer('k') }))
const check = setInterval(() => {
  if (stub.counts.running === 0) return
  clearInterval(check)
  process.stdout.write('drawing\n')
}, 10)
setInterval(() => {}, 1000)
