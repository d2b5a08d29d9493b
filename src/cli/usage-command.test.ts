import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasRedis, startRedis, type TestRedis } from '../../test/helpers/redis-server.ts'
import { AuditTrail } from '../http/admin/audit-trail.ts'
import { createServer, openRedisStore, type UsageStore } from '../http/index.ts'
import { BODY, bearer, post } from '../http/test-support/requests.ts'
import { createStubEngine } from '../http/test-support/stub-engine.ts'
import { runTessera } from './test-support/run-tessera.ts'

it.each([
  [['--store', 'memory'], '--store: must be a file or a Redis server'],
  [['--store', 'x.db', '--format', 'xml'], '--format: must be csv or json'],
  [
    ['--store', './none.db'],
    '--store: the file ./none.db is not there; npx tessera-onnx serve and npx tessera-onnx keys add make it',
  ],
  [['--store', 'x.db', '--from', '11-2026'], 'from: must be a month such as 2026-11'],
])('%j is refused', async (args, reason) => {
  const refused = { code: 2, stdout: '', stderr: expect.stringContaining(reason) }
  expect(await runTessera('usage', ...args)).toEqual(refused)
})

describe.skipIf(!hasRedis())('over a Redis store', () => {
  let redis: TestRedis
  let store: UsageStore
  beforeAll(async () => {
    redis = await startRedis()
    store = await openRedisStore(redis.url)
    const { fetch } = createServer({ engine: createStubEngine().engine, keys: [{ key: 'k', id: 'shop' }], store })
    await fetch(post(BODY, { headers: bearer('k') }))
  })
  afterAll(async () => {
    await store.close()
    await redis.stop()
  })

  it('usage is exported as CSV and as JSON, this month by default', async () => {
    const usage = async (...args: string[]) => (await runTessera('usage', '--store', redis.url, ...args)).stdout
    expect(await usage()).toMatch(
      /^month,account,endpoint,requests,input_tokens,images,cost\r\n\d{4}-\d\d,shop,decisions,1,22,0,0\.\d+\r\n$/,
    )
    const document = JSON.parse(await usage('--format', 'json', '--from', '2020-01'))
    expect(document).toMatchObject({ from: '2020-01', rows: [{ account: 'shop', requests: 1 }] })
    expect((await usage('--from', '2020-01', '--to', '2020-02')).trim().split('\r\n')).toHaveLength(1)
  })

  it('changes by the command line are recorded with user and machine', async () => {
    const { stdout } = await runTessera('keys', 'add', '--account', 'shop', '--store', redis.url)
    const key = /tsr_\S+/.exec(stdout)![0]
    const entries = await new AuditTrail(store).list('2020-01', '9999-12')
    const actor = expect.stringMatching(/^.+@.+$/) as string
    expect(entries).toEqual([expect.objectContaining({ action: 'add', account: 'shop', actor })])
    expect(JSON.stringify(entries)).not.toContain(key.slice(9))
  })
})
