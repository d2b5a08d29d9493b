import { TesseraError } from '../../errors/index.ts'
import type { Job, JobStore } from '../../http/index.ts'
import { onceThere } from '../once-there.ts'

interface Connection {
  readonly isOpen: boolean
}

type Withdrawing = Pick<JobStore, 'withdraw' | 'shared'>

/** Forgets a job whose request was refused, where nobody else was told of it: later, where the server is away. */
export function withdraw(job: Job, store: Withdrawing, client: Connection): Promise<boolean> {
  const withdrawn = store.withdraw(job).catch(() => store.withdraw(job))
  void withdrawn.catch(() => withdrawUnkeyed(job, store, client)).catch(() => {})
  return withdrawn
}

/**
 * Withdraws a job whose client is told that it could not be added, where it may be there all the same: it would run, and
 * be charged, for nobody.
 *
 * @param adding what was not waited for, or failed
 */
export async function withdrawRefused(
  job: Job,
  adding: Promise<Job | undefined>,
  store: Withdrawing,
  client: Connection,
): Promise<void> {
  const added = await adding.then(
    (found) => (found === undefined ? 'yes' : 'no'),
    (thrown: unknown) => (TesseraError.isInstance(thrown) ? 'no' : 'maybe'),
  )
  if (added === 'no') return
  await withdrawUnkeyed(job, store, client)
  // That of a key may be another process's by now, unless this one has just added it.
  if (added === 'yes' && job.digest !== undefined) await store.withdraw(job)
}

/** The server may be away: nobody else knows the id of a job without a key, so that it is this job whenever it is back. */
async function withdrawUnkeyed(job: Job, store: Withdrawing, client: Connection): Promise<void> {
  if (job.digest !== undefined) return
  await onceThere(() => store.withdraw(job), client)
  // Another process may have taken it over by then.
  await store.shared?.cancel(job.id)
}
