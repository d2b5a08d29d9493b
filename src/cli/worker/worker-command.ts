import { once } from 'node:events'
import { defineCommand } from 'citty'
import type { Engine } from '../../engine/index.ts'
import { InvalidRequestError } from '../../errors/index.ts'
import { type QueueName, runWorker } from '../../queue/index.ts'
import { decisionArguments, isolateArgument } from '../engine-arguments.ts'
import { LineWriter } from '../line-writer.ts'
import { namedLoraArgument, readNamedLoras } from '../lora-arguments.ts'
import { openEngine } from '../open-engine.ts'
import { queuePlaintextArgument } from '../queue-arguments.ts'
import { readTime } from '../read-duration.ts'
import { readNumber } from '../read-number.ts'
import { runCommand } from '../run-command.ts'
import { readServed, requireServed, servedArgument } from '../served-models.ts'
import { untilInterrupted } from '../until-interrupted.ts'

export const workerArguments = {
  queue: { type: 'string', description: 'Redis server that tessera serve --queue names', valueHint: 'url' },
  ...queuePlaintextArgument,
  jobs: {
    type: 'string',
    description: 'kinds of work to take: decide, images or both; default what its models do',
    valueHint: 'kind,...',
  },
  models: {
    type: 'string',
    description: 'names of models to take calls for; default all that it has, the embedded ones among them',
    valueHint: 'name,...',
  },
  concurrency: { type: 'string', default: '4', description: 'calls of each kind to work on at a time', valueHint: 'n' },
  lease: {
    type: 'string',
    default: '15s',
    description: 'how long after the last sign of life of a worker its calls go to another',
    valueHint: 'duration',
  },
  preload: { type: 'boolean', default: false, description: 'open the models of --use before taking any work' },
  grace: {
    type: 'string',
    default: '25s',
    description: 'after SIGTERM, hand back what is not answered then',
    valueHint: 'duration',
  },
  workers: { type: 'string', description: 'worker threads that calls are shared out to; default 1', valueHint: 'n' },
  ...isolateArgument,
  ...decisionArguments,
  ...servedArgument,
  ...namedLoraArgument,
} as const

export const workerCommand = defineCommand({
  args: workerArguments,
  run: (context) =>
    runCommand(context, async ({ args }) => {
      if (args.queue === undefined)
        throw new InvalidRequestError('--queue', 'must name a Redis server, such as redis://localhost:6379')
      const graceMs = readTime('--grace', args.grace)
      const leaseMs = readTime('--lease', args.lease, '1s')
      const stopped = untilInterrupted()
      const served = readServed(args.use)
      await using engine = await openEngine(args, served, readNamedLoras(args.lora))
      await requireServed(engine, served)
      if (args.preload) await preload(engine, Object.keys(served), stopped)
      if (stopped.aborted) return
      const worker = await runWorker(engine, {
        connection: args.queue,
        plaintext: args['queue-plaintext'],
        concurrency: readNumber('--concurrency', args.concurrency),
        leaseMs,
        jobs: args.jobs?.split(',') as QueueName[] | undefined,
        models: args.models?.split(','),
      })
      // As a line of a log, which may be on a full disk without the worker ending for it.
      const lines = new LineWriter()
      lines.add('taking work')
      // A signal alone does not keep the process alive, and an idle engine neither; the connections do.
      if (!stopped.aborted) await once(stopped, 'abort')
      process.stderr.write('finishing what is being answered\n')
      await worker.close(graceMs)
      await lines.close()
    }),
})

/** Opens those models, unless the worker is told to end meanwhile. */
async function preload(engine: Engine, names: readonly string[], signal: AbortSignal): Promise<void> {
  try {
    for (const name of names) await engine.load(name, { keepOpen: true, signal })
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
