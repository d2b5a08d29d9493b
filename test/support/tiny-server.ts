import { rm } from 'node:fs/promises'
import { createEngine } from '../../src/index.ts'
import { createNodeServer } from '../../src/http/adapters/node.ts'
import { createServer, type Server, type ServerOptions } from '../../src/http/index.ts'
import { listen, type Listening } from '../../src/http/test-support/listen.ts'
import { writeTinyBundle } from './tiny-bundle.ts'

export interface TinyServer extends Listening {
  readonly server: Server
}

/** A server over a small random model that listens on a free port: everything is real but what the model knows. */
export async function startTinyServer(options: Omit<ServerOptions, 'engine'> = {}): Promise<TinyServer> {
  const folder = await writeTinyBundle()
  const engine = await createEngine({ backend: 'cpu', threads: 1, worker: false, models: { 'decide-latest': folder } })
  const server = createServer({ engine, ...options })
  const listening = await listen(createNodeServer(server))
  return {
    ...listening,
    server,
    async close() {
      await listening.close()
      await engine.dispose()
      await rm(folder, { recursive: true })
    },
  }
}
