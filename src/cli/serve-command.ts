import { defineCommand } from 'citty'
import colors from 'picocolors'
import { createServer, type RequestLog } from '../http/index.ts'
import { chooseKeys, type KeyChoice } from '../http/serve/choose-keys.ts'
import { defaultJournal } from '../http/serve/default-journal.ts'
import { openStore } from '../http/serve/open-store.ts'
import { serveHttp } from '../http/serve/serve-http.ts'
import { describeFault } from './describe-fault.ts'
import { calibrationArgument, engineArguments, openEngine } from './engine-arguments.ts'
import { readNumber } from './read-request.ts'
import { runCommand } from './run-command.ts'
import { readServed, requireServed, servedArgument } from './served-models.ts'

export const serveCommand = defineCommand({
  meta: { name: 'serve', description: 'Serve decisions and pictures over HTTP; prints a new key on the first run' },
  args: {
    port: { type: 'string', default: '8080', description: 'port to listen on; 0 for any free one', valueHint: 'n' },
    host: { type: 'string', default: '127.0.0.1', description: 'address to listen on', valueHint: 'address' },
    'keys-file': {
      type: 'string',
      description: 'JSON file {"keys": [...]}; else TESSERA_API_KEYS is read',
      valueHint: 'file',
    },
    store: {
      type: 'string',
      default: 'memory',
      description: 'where usage is kept: memory, an SQLite file or a Redis server',
      valueHint: 'memory|file|url',
    },
    journal: {
      type: 'string',
      description: 'folder for charges that wait while the store is away; default ~/.local/state/tessera/journal',
      valueHint: 'folder',
    },
    'accept-loss': {
      type: 'boolean',
      default: false,
      description: 'take a Redis server that is set up to forget balances',
    },
    console: {
      type: 'boolean',
      default: true,
      description: 'a page under /console with usage and a playground',
      negativeDescription: 'no such page',
    },
    workers: {
      type: 'string',
      description: 'worker threads that calls are shared out to; default 1',
      valueHint: 'n',
    },
    ...engineArguments,
    ...calibrationArgument,
    ...servedArgument,
  },
  run: (context) =>
    runCommand(context, async ({ args }) => {
      const { keys, fresh } = await chooseKeys(args.host, args['keys-file'], process.env)
      // Before anything can fail: the key is in no file, and the next run makes no other.
      if (fresh) showKey(fresh)
      const store = await openStore(args.store, { acceptLoss: args['accept-loss'] })
      try {
        const served = readServed(args.use)
        await using engine = await openEngine(args, served)
        await requireServed(engine, served)
        const service = await serveHttp(
          createServer({
            engine,
            keys,
            store,
            // A store in memory is never away.
            ...(args.store !== 'memory' && { journal: args.journal ?? defaultJournal(process.env) }),
            console: args.console,
            log: showFault,
          }),
          args.host,
          readNumber('--port', args.port),
        )
        // Whoever reads that it listens may stop it at once.
        const stopped = untilStopped()
        process.stdout.write(`listening on ${service.url}\n`)
        if (args.console) process.stderr.write(`${colors.dim(`console at ${service.url}/console`)}\n`)
        await stopped
        process.stderr.write('finishing what is being answered; press Ctrl+C again to stop at once\n')
        await service.close()
      } finally {
        await store.close()
      }
    }),
})

function showKey({ key, file }: NonNullable<KeyChoice['fresh']>): void {
  process.stdout.write(`key ${key}\n`)
  process.stderr.write(
    `${colors.dim(`This key is shown this once; ${file} has its SHA-256 only. Delete that file for a new one.`)}\n`,
  )
}

/** Resolves with the first SIGINT or SIGTERM. From then on a second one ends the process, as it would without us. */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      process.off('SIGINT', stop).off('SIGTERM', stop)
      resolve()
    }
    process.on('SIGINT', stop).on('SIGTERM', stop)
  })
}

/** What the operator has to know about; clients are told the id alone. */
function showFault({ requestId, route, status, error }: RequestLog): void {
  if (error) process.stderr.write(`${colors.red(`${status}`)} ${route} ${requestId}\n${describeFault(error)}\n`)
}
