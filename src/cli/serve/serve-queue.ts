import { createQueueEngine, openJobStore } from '../../queue/index.ts'
import { requireBullmq } from '../../queue/load-bullmq.ts'
import { type EngineArguments, readMaxOptions } from '../engine-arguments.ts'
import { type ModelArguments, refuseModelArguments } from '../queue-arguments.ts'

/** Jobs are put into the queue as they come: it lets them take turns. */
const QUEUED_JOBS = 1000

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
