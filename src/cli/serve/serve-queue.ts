import { createQueueEngine, openJobStore } from '../../queue/index.ts'
import { type ModelArguments, refuseModelArguments } from '../queue-arguments.ts'

/** Jobs are put into the queue as they come: it lets them take turns. */
const QUEUED_JOBS = 1000

/**
 * What a front answers with: workers behind a queue.
 *
 * @throws InvalidRequestError for arguments about models, or where the server is not there
 */
export async function openQueue(connection: string, args: ModelArguments & { readonly 'queue-plaintext': boolean }) {
  refuseModelArguments(args)
  const queue = { connection, plaintext: args['queue-plaintext'] }
  // A server that is not there is told of now.
  const store = await openJobStore(queue)
  const engine = createQueueEngine(queue)
  const dispose = async () => {
    await engine.dispose()
    await store.close()
  }
  return { engine: { ...engine, [Symbol.asyncDispose]: dispose }, jobs: { concurrency: QUEUED_JOBS, store } }
}
