import { InvalidRequestError } from '../../errors/index.ts'
import { createQueueEngine, openJobStore } from '../../queue/index.ts'
import { requireBullmq } from '../../queue/load-bullmq.ts'
import { type EngineArguments, readMaxOptions } from '../engine-arguments.ts'

/** Jobs are put into the queue as they come: it lets them take turns. */
const QUEUED_JOBS = 1000

/** Arguments about models, which are where the workers are. */
const OF_WORKERS = [
  'use',
  'backend',
  'threads',
  'workers',
  'isolate',
  'keep-states',
  'calibration',
  'both-orders',
  'preload',
  'lora',
] as const

type ModelArguments = { readonly [Name in (typeof OF_WORKERS)[number]]?: unknown }

type FrontArguments = ModelArguments & Pick<EngineArguments, 'max-options'> & { readonly 'queue-plaintext': boolean }

/**
 * What a front answers with: workers behind a queue.
 *
 * @throws InvalidRequestError for arguments about models, or where the package or the server is not there
 */
export async function openQueue(connection: string, args: FrontArguments) {
  refuseModelArguments(args)
  await requireBullmq()
  const queue = { connection, plaintext: args['queue-plaintext'] }
  const limits = readMaxOptions(args)
  // It connects with its first call. Behind the store, whose connections keep the process alive, nothing may be refused.
  const engine = createQueueEngine({ ...queue, ...limits })
  // A server that is not there is told of now.
  const store = await openJobStore(queue)
  const dispose = async () => {
    await engine.dispose()
    await store.close()
  }
  return { engine: { ...engine, [Symbol.asyncDispose]: dispose }, ...limits, jobs: { concurrency: QUEUED_JOBS, store } }
}

/** @throws InvalidRequestError for an argument that would be read by nobody */
function refuseModelArguments(args: ModelArguments): void {
  const given = OF_WORKERS.find((name) => args[name] !== undefined && args[name] !== false)
  if (given === undefined) return
  throw new InvalidRequestError(`--${given}`, 'is for tessera worker where there is --queue: the models are there')
}
