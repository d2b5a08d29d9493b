import type { Progress } from '../../engine/index.ts'
import type { openAdmission } from './admission.ts'
import type { BatchSteps } from './job-handler.ts'
import type { JobTurns } from './job-turns.ts'
import type { Job, JobCounts } from './job.ts'

/** How far a job is that runs. */
export interface JobNews {
  readonly progress?: Progress
  readonly counts?: JobCounts
}

interface Parts {
  readonly job: Job
  readonly turns: JobTurns
  readonly admission: Pick<ReturnType<typeof openAdmission>, 'admit'>
  /** Called when its first turn comes. */
  onRunning(): Promise<void>
  tell(news: JobNews): void
}

/** What the answer of a job tells on its way, and what ends its turn. */
export function createJobSteps({ job: { id, account: client }, turns, admission, onRunning, tell }: Parts) {
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
      await run()
      return leaveLine
    },
    onProgress: (progress) => tell({ progress }),
    onCounts: (counts) => {
      const done = counts.succeeded + counts.failed
      tell({ counts, progress: { stage: 'answering', done, total: counts.total } })
    },
  }
  return { steps, leave: () => leave() }
}
