import { expect, onTestFinished } from 'vitest'
import { createServer, type RequestLog, type Server, type ServerOptions } from '../index.ts'
import { get, json, post } from './requests.ts'
import { createStubEngine } from './stub-engine.ts'

const ASYNC = { prefer: 'respond-async' }

type Headers = Readonly<Record<string, string>>

/** A server in front of an engine that can be held, as long as the test runs, and what tests of jobs ask of it. */
export function openJobServer(options: Omit<ServerOptions, 'engine'> = {}) {
  const stub = createStubEngine()
  const entries: RequestLog[] = []
  const server: Server = createServer({ engine: stub.engine, log: (entry) => entries.push(entry), ...options })
  let open = () => {}

  const ask = (id: unknown, headers: Headers = {}, init: RequestInit = {}, tail = '') =>
    server.fetch(get(`/v1/jobs/${String(id)}${tail}`, { headers, ...init }))

  const close = async () => {
    open()
    await server.close()
  }
  onTestFinished(close)

  return {
    stub,
    entries,
    server,
    ask,
    /** Holds every call to the engine until `open` is called. */
    hold() {
      open = stub.hold()
    },
    open: () => open(),
    async start(body: unknown, path = '/v1/systemone', headers: Headers = {}) {
      const response = await server.fetch(post(body, { path, headers: { ...ASYNC, ...headers } }))
      return { response, job: await json(response) }
    },
    async until(id: unknown, status: string, headers: Headers = {}) {
      await expect.poll(async () => (await json(ask(id, headers)))['status']).toBe(status)
    },
    close,
  }
}

export type JobServer = ReturnType<typeof openJobServer>

/** The events of a stream of a job, each with its name. */
export async function eventsOf(response: Response): Promise<[string, Record<string, unknown>][]> {
  const parts = (await response.text()).split('\n\n').filter((part) => part.startsWith('event: '))
  return parts.map((part) => {
    const [name, data] = part.split('\ndata: ')
    return [name!.slice('event: '.length), JSON.parse(data!) as Record<string, unknown>]
  })
}
