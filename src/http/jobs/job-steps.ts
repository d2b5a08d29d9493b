import type { openAdmission } from './admission.ts'
import type { BatchSteps } from './job-handler.ts'
import type { NewsBoard } from './job-news.ts'
import type { SharedJobs } from './job-store.ts'
import type { JobTurns } from './job-turns.ts'
import type { Job } from './job.ts'

interface Parts {
  readonly job: Job
  readonly turns: JobTurns
  readonly admission: Pick<ReturnType<typeof openAdmission>, 'admit'>
  /** Called when its first turn comes. */
  onRunning(): Promise<void>
  readonly news: NewsBoard
  readonly shared: SharedJobs | undefined
  /** Called when there is news. */
  onNews(): void
}

/** What the answer of a job tells on its way, and what ends its turn. */
export function createJobSteps({ job, turns, admission, onRunning, news, shared, onNews }: Parts) {
  const { id, account: client } = job
  let leave = () => {}
  let isRunning = false
  let lines = 0
  const run = async () => {
    if (isRunning) return
    isRunning = true
    await onRunning()
  }
  const steps: BatchSteps = {
    admit: () => admission.admit(),
    async begin(signal) {
      admission.admit()
      leave = await turns.enter({ id, client }, signal)
      await run()
    },
    async beginLine(signal) {
      const leaveLine = await turns.enter({ id: `${id}:${++lines}`, client, isHalf: true }, signal)
      try {
        await run()
      } catch (error) {
        leaveLine()
        throw error
      }
      return leaveLine
    },
    onProgress(progress) {
      news.tell(id, { progress })
      onNews()
    },
    onPartial(partial) {
      news.tellPartial(id, partial)
      onNews()
    },
    onCounts(counts) {
      const done = counts.succeeded + counts.failed
      news.tell(id, { counts, progress: { stage: 'answering', done, total: counts.total } })
      onNews()
    },
    keepPart: async (part) => shared?.keepPart(id, part),
    readParts: async () => (await shared?.readParts(id)) ?? [],
  }
  return { steps, leave: () => leave() }
}
