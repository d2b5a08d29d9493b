import { afterEach, expect, it, vi } from 'vitest'
import { createServer, type RequestLog } from './index.ts'
import { createStubEngine } from './test-support/stub-engine.ts'

const BODY = { state: 'CANARY', questions: { urgent: { type: 'noul', instructions: 'Is it urgent?' } } }
afterEach(() => vi.restoreAllMocks())

async function post(decide: () => never, log?: (entry: RequestLog) => void) {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const { engine } = createStubEngine()
  const server = createServer({ engine: { ...engine, decide }, keys: ['k'], ...(log && { log }) })
  const headers = { authorization: 'Bearer k', 'content-type': 'application/json' }
  const response = await server.fetch(
    new Request('http://localhost/v1/systemone', { method: 'POST', headers, body: JSON.stringify(BODY) }),
  )
  await response.text()
  await server.close()
  return { id: response.headers.get('x-request-id'), written: write.mock.calls.join('') }
}

function fail(): never {
  throw new RangeError('a secret')
}

it('tells of a fault on stderr where a server has no log, under the id that the client has', async () => {
  const { id, written } = await post(fail)
  expect(written.startsWith(`500 /v1/systemone ${id}\nInternalError: `)).toBe(true)
  expect(written).toMatch(/caused by RangeError\n +at .*request-reporter/)
  expect(written).not.toMatch(/secret|CANARY/)
})

it('goes on where stderr cannot be written, such as a file on a full disk', async () => {
  const failed = new Promise<boolean>((resolve) => {
    vi.spyOn(process.stderr, 'write').mockImplementation(() => {
      // What nobody hears ends the process.
      setImmediate(() => resolve(process.stderr.emit('error', new Error('no space left'))))
      return true
    })
  })
  const server = createServer({ engine: { ...createStubEngine().engine, decide: fail } })
  const response = await server.fetch(
    new Request('http://localhost/v1/systemone', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(BODY),
    }),
  )
  expect(response.status).toBe(500)
  expect(await failed).toBe(true)
  await server.close()
})

it('leaves them to the log where there is one', async () => {
  const log = vi.fn<(entry: RequestLog) => void>()
  expect((await post(fail, log)).written).toBe('')
  expect(log).toHaveBeenCalledOnce()
})
