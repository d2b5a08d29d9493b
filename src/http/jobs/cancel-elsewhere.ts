import { setTimeout as sleep } from 'node:timers/promises'
import type { JobResults } from './job-results.ts'
import type { JobStore } from './job-store.ts'
import { isOver } from './job.ts'

const POLL_MS = 500
const MOST_CANCELS = 60

/** Has another process cancel a job. The one that has it may be ending: another one then takes it over. */
export async function cancelElsewhere(
  { shared }: Pick<JobStore, 'shared'>,
  results: Pick<JobResults, 'find'>,
  id: string,
): Promise<void> {
  for (let tries = 0; tries < MOST_CANCELS; tries++) {
    const job = await results.find(id)
    if (job === undefined || isOver(job)) return
    await shared?.cancel(id)
    await sleep(POLL_MS)
  }
}
