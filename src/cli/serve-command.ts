import { defineCommand } from 'citty'
import colors from 'picocolors'
import { DEFAULT_MODELS } from '../engine/default-models.ts'
import type { Engine } from '../engine/index.ts'
import { createServer, type RequestLog } from '../http/index.ts'
import { chooseKeys, type KeyChoice } from '../http/serve/choose-keys.ts'
import { openStore } from '../http/serve/open-store.ts'
import { serveHttp } from '../http/serve/serve-http.ts'
import type { WatchedKeys } from '../http/serve/watched-keys.ts'
import { createQueueEngine, openJobStore } from '../queue/index.ts'
import { formatAccess, LineWriter } from './access-log.ts'
import { describeFault } from './describe-fault.ts'
import { type EngineArguments, openEngine } from './engine-arguments.ts'
import { readNamedLoras } from './lora-arguments.ts'
import { refuseModelArguments } from './queue-arguments.ts'
import { readNumber } from './read-request.ts'
import { runCommand } from './run-command.ts'
import { readJournal, readLifecycle, serveArguments } from './serve-arguments.ts'
import { readServed, requireServed } from './served-models.ts'

/** For the last lines of the log, whose reader may have stopped reading. */
const FLUSH_MS = 1000

export const serveCommand = defineCommand({
  meta: { name: 'serve', description: 'Serve decisions and pictures over HTTP; prints a new key on the first run' },
  args: serveArguments,
  run: (context) =>
    runCommand(context, async ({ args }) => {
      const { ending, timeouts } = readLifecycle(args)
      // Before anything takes time: a closed terminal sends it too, and it would end the process.
      let watched: WatchedKeys | undefined
      process.on('SIGHUP', () => void watched?.reload())
      const lines = new LineWriter()
      const store = await openStore(args.store, { acceptLoss: args['accept-loss'] })
      try {
        const chosen = await chooseKeys(args.host, args['keys-file'], process.env, store)
        watched = chosen.watched
        watched?.watch(reportKeys)
        // Before anything else can fail: the key is in no file, and the next run makes no other.
        if (chosen.fresh) showKey(chosen.fresh)
        const { engine: opened, ...working } = await openWorking(args)
        await using engine = opened
        const server = createServer({
          engine,
          ...working,
          keys: chosen.keys,
          store,
          ...readJournal(args),
          console: args.console,
          log: (entry) => {
            if (args['access-log']) lines.add(formatAccess(entry, new Date()))
            showFault(entry)
          },
        })
        const service = await serveHttp(server, args.host, readNumber('--port', args.port), timeouts)
        // Whoever reads that it listens may stop it at once.
        const stopped = untilStopped()
        // As a line of the log, which may be on a full disk without the service ending for it.
        lines.add(`listening on ${service.url}`)
        if (args.console) process.stderr.write(`${colors.dim(`console at ${service.url}/console`)}\n`)
        await stopped
        process.stderr.write('finishing what is being answered; press Ctrl+C again to stop at once\n')
        await service.close(ending)
        await lines.close(FLUSH_MS)
      } finally {
        watched?.close()
        await store.close()
      }
    }),
})

type ServeArguments = EngineArguments & {
  readonly queue?: string | undefined
  readonly preload: boolean
  readonly lora?: string | undefined
  readonly 'queue-plaintext': boolean
}

/** Jobs are put into the queue as they come: it lets them take turns. */
const QUEUED_JOBS = 1000

/** What does the work: models here, or workers behind a queue. */
async function openWorking(args: ServeArguments) {
  if (args.queue !== undefined) {
    refuseModelArguments(args)
    const queue = { connection: args.queue, plaintext: args['queue-plaintext'] }
    // A server that is not there is told of now.
    const store = await openJobStore(queue)
    const engine = createQueueEngine(queue)
    const dispose = async () => {
      await engine.dispose()
      await store.close()
    }
    return { engine: { ...engine, [Symbol.asyncDispose]: dispose }, jobs: { concurrency: QUEUED_JOBS, store } }
  }
  const served = readServed(args.use)
  const engine = await openEngine(args, served, readNamedLoras(args.lora))
  try {
    await requireServed(engine, served)
    const requires = Object.keys(served)
    if (args.preload) await preloadModels(engine, requires)
    return { engine, requires }
  } catch (error) {
    await engine.dispose()
    throw error
  }
}

/** Opens those models, or that of decisions where none is named, so that no client waits for it. */
async function preloadModels(engine: Engine, names: readonly string[]): Promise<void> {
  for (const name of names.length === 0 ? [DEFAULT_MODELS.decide] : names) await engine.load(name, { keepOpen: true })
}

function showKey({ key, file }: NonNullable<KeyChoice['fresh']>): void {
  process.stdout.write(`key ${key}\n`)
  process.stderr.write(
    `${colors.dim(`This key is shown this once; ${file} has its SHA-256 only. Delete that file for a new one.`)}\n`,
  )
}

/**
 * Resolves with the first SIGINT or SIGTERM. From then on a second one ends the process, as it would without us.
 */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      process.off('SIGINT', stop).off('SIGTERM', stop)
      resolve()
    }
    process.on('SIGINT', stop).on('SIGTERM', stop)
  })
}

function reportKeys(problem: string | undefined): void {
  const line = problem === undefined ? 'keys were read again' : `${colors.red('keys stay as they were')} ${problem}`
  process.stderr.write(`${line}\n`)
}

/** What the operator has to know about; clients are told the id alone. */
function showFault({ requestId, route, status, error }: RequestLog): void {
  if (error) process.stderr.write(`${colors.red(`${status}`)} ${route} ${requestId}\n${describeFault(error)}\n`)
}
