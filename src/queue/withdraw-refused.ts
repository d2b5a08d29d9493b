import { TesseraError } from '../errors/index.ts'
import type { Job, JobStore } from '../http/index.ts'
import { onceThere } from './once-there.ts'

/**
 * Withdraws a job whose client is told that it could not be added, where it may be there all the same: it would run, and
 * be charged, for nobody.
 *
 * @param adding what was not waited for, or failed
 */
export async function withdrawRefused(
  job: Job,
  adding: Promise<Job | undefined>,
  store: JobStore,
  client: { readonly isOpen: boolean },
): Promise<void> {
  const added = await adding.then(
    (found) => (found === undefined ? 'yes' : 'no'),
    (thrown: unknown) => (TesseraError.isInstance(thrown) ? 'no' : 'maybe'),
  )
  if (added === 'no') return
  if (job.digest === undefined) {
    // The server may be away: nobody else knows the id, so that it is this job whenever it is back.
    await onceThere(() => store.withdraw(job.id), client)
    // Another process may have taken it over by then.
    await store.shared?.cancel(job.id)
    return
  }
  // That of a key may be another process's by now, unless this one has just added it.
  if (added === 'yes') await store.withdraw(job.id)
}
