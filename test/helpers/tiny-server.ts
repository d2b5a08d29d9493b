import { rm } from 'node:fs/promises'
import { createNodeServer } from '../../src/http/adapters/node.ts'
import { createServer, type Server, type ServerOptions } from '../../src/http/index.ts'
import { listen, type Listening } from '../../src/http/test-support/listen.ts'
import { createEngine } from '../../src/index.ts'
import { atTheEnd } from './at-the-end.ts'
import { type ImageBundleName, materializeBundle } from './image-bundle.ts'
import { writeTinyBundle } from './tiny-bundle.ts'

export interface TinyServer extends Omit<Listening, 'close'> {
  readonly server: Server
}

interface TinyOptions extends Omit<ServerOptions, 'engine'> {
  /** Also serves pictures, of random models. */
  readonly images?: boolean
}

const IMAGE_MODELS: readonly (readonly [string, ImageBundleName])[] = [
  ['alpha-image-turbo', 'z-image-turbo'],
  ['beta-klein-4b', 'klein-distilled'],
]

/** A text of the letter alone is one token for 64 of them, so that the longest one is read in a moment. */
const RULES = [1, 2, 4, 8, 16, 32].map((length) => `${'x'.repeat(length)} ${'x'.repeat(length)}`)

/** Folders of small random models, by the names that requests give; they are gone behind the test or the file that asks for them. */
export async function writeTinyModels(images: boolean): Promise<Readonly<Record<string, string>>> {
  const drawn = await Promise.all(
    (images ? IMAGE_MODELS : []).map(
      async ([name, bundle]) => [name, (await materializeBundle(bundle)).folder] as const,
    ),
  )
  const models: Readonly<Record<string, string>> = Object.fromEntries([
    ['decide-latest', await writeTinyBundle({ merges: RULES })],
    ...drawn,
  ])
  atTheEnd(async () => {
    for (const folder of Object.values(models)) await rm(folder, { recursive: true })
  })
  return models
}

/**
 * A server over small random models that listens on a free port until the test or the file that asks for it is over: everything is real but
 * what the models know.
 */
export async function startTinyServer({ images = false, ...options }: TinyOptions = {}): Promise<TinyServer> {
  const models = await writeTinyModels(images)
  const engine = await createEngine({ backend: 'cpu', threads: 1, worker: false, models })
  const server = createServer({ engine, ...options })
  const listening = await listen(createNodeServer(server))
  atTheEnd(async () => {
    await listening.close()
    await engine.dispose()
  })
  return { ...listening, server }
}
