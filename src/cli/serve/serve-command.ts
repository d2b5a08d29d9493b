import { once } from 'node:events'
import { defineCommand } from 'citty'
import colors from 'picocolors'
import { createServer } from '../../http/index.ts'
import { logFaults } from '../../http/request-reporter.ts'
import { chooseKeys, type KeyChoice } from '../../http/serve/choose-keys.ts'
import { openStore } from '../../http/serve/open-store.ts'
import { serveHttp } from '../../http/serve/serve-http.ts'
import type { WatchedKeys } from '../../http/serve/watched-keys.ts'
import { count, readOption } from '../../options/index.ts'
import { LineWriter } from '../line-writer.ts'
import { readNumber } from '../read-number.ts'
import { runCommand } from '../run-command.ts'
import { endWhenInterrupted, untilInterrupted } from '../until-interrupted.ts'
import { formatAccess } from './access-log.ts'
import { readHost, readJournal, readLifecycle, serveArguments } from './serve-arguments.ts'
import type { openModels } from './serve-models.ts'
import type { openQueue } from './serve-queue.ts'

export const serveCommand = defineCommand({
  args: serveArguments,
  run: (context) =>
    runCommand(context, async ({ args }) => {
      const { ending, timeouts } = readLifecycle(args)
      const host = readHost(args.host)
      const port = readOption('--port', count(0, 65_535), readNumber('--port', args.port))
      // Before anything takes time, such as opening models.
      endWhenInterrupted()
      // A closed terminal sends it too, and it would end the process.
      let watched: WatchedKeys | undefined
      process.on('SIGHUP', () => void watched?.reload())
      const lines = new LineWriter()
      const store = await openStore(args.store, { acceptLoss: args['accept-loss'] })
      try {
        const { engine: opened, preload, ...working } = await openWork(args)
        await using engine = opened
        // Behind the check of all options: a run that fails should make no key.
        const chosen = await chooseKeys(host, args['keys-file'], process.env, store)
        watched = chosen.watched
        watched?.watch(reportKeys)
        // Before what takes time, and may be interrupted: the key is in no file, and the next run makes no other.
        if (chosen.fresh) showKey(chosen.fresh)
        await preload?.()
        const server = createServer({
          engine,
          ...working,
          keys: chosen.keys,
          store,
          ...readJournal(args),
          console: args.console,
          webhooks: { allowPrivate: args['webhooks-private'] },
          log: (entry) => {
            if (args['access-log']) lines.add(formatAccess(entry, new Date()))
            logFaults(entry)
          },
        })
        const service = await serveHttp(server, host, port, timeouts)
        // Whoever reads that it listens may stop it at once.
        const stopped = untilInterrupted()
        // As a line of the log, which may be on a full disk without the service ending for it.
        lines.add(`listening on ${service.url}`)
        if (args.console) process.stderr.write(`${colors.dim(`console at ${service.url}/console`)}\n`)
        if (!stopped.aborted) await once(stopped, 'abort')
        process.stderr.write('finishing what is being answered; press Ctrl+C again to stop at once\n')
        await service.close(ending)
        await lines.close()
      } finally {
        watched?.close()
        await store.close()
      }
    }),
})

type WorkArguments = Parameters<typeof openModels>[0] &
  Parameters<typeof openQueue>[1] & { readonly queue?: string | undefined }

/** Of the two, what is not asked for is not read: a front needs no runtime and starts in a moment. */
async function openWork(args: WorkArguments) {
  if (args.queue === undefined) return (await import('./serve-models.ts')).openModels(args)
  const { openQueue } = await import('./serve-queue.ts')
  return { preload: undefined, ...(await openQueue(args.queue, args)) }
}

function showKey({ key, file }: NonNullable<KeyChoice['fresh']>): void {
  process.stdout.write(`key ${key}\n`)
  process.stderr.write(
    `${colors.dim(`This key is shown this once; ${file} has its SHA-256 only. Delete that file for a new one.`)}\n`,
  )
}

function reportKeys(problem: string | undefined): void {
  const line = problem === undefined ? 'keys were read again' : `${colors.red('keys stay as they were')} ${problem}`
  process.stderr.write(`${line}\n`)
}
