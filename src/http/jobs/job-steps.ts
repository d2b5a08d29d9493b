import type { openAdmission } from './admission.ts'
import type { TellFault } from './job-faults.ts'
import type { BatchSteps } from './job-handler.ts'
import type { NewsBoard } from './job-news.ts'
import type { SharedJobs } from './job-store.ts'
import type { JobTurns } from './job-turns.ts'
import type { Job } from './job.ts'

/** Begins the paths of routes that draw. */
const PICTURES = '/v1/images/'

interface Parts {
  readonly job: Job
  readonly turns: JobTurns
  readonly admission: Pick<ReturnType<typeof openAdmission>, 'admit'>
  /** Called when its first turn comes. */
  onRunning(): Promise<void>
  /** Called when the processes that had it before are not to count any more. */
  onCleared(): Promise<void>
  readonly tellFault: TellFault
  readonly news: NewsBoard
  readonly shared: SharedJobs | undefined
  /** Called when there is news. */
  onNews(): void
}

/** What the answer of a job tells on its way, and what ends both. */
export function createJobSteps(parts: Parts) {
  const { job, turns, admission, onRunning, onCleared, shared } = parts
  const { id, account: client, path } = job
  const work = path.startsWith(PICTURES) ? 'pictures' : 'decisions'
  let leave = () => {}
  let isRunning = false
  let isOver = false
  let lines = 0
  const run = async () => {
    if (isRunning || isOver) return
    isRunning = true
    await onRunning()
  }
  const steps: BatchSteps = {
    ...createNews(parts, () => isOver),
    admit: () => admission.admit(),
    pause: () => leave(),
    async begin(signal) {
      // One that is stopped by then, such as by the end of the process, may be refused still.
      if (!signal.aborted) admission.admit()
      leave = await turns.enter({ id, client, work }, signal)
      // A job may end while it waits, and its work go on for a plain request that joined it, which needs no turn.
      if (isOver) leave()
      await run()
    },
    async beginLine(signal) {
      const leaveLine = await turns.enter({ id: `${id}:${++lines}`, client, work, isHalf: true }, signal)
      await run().catch((error: unknown) => {
        leaveLine()
        throw error
      })
      return leaveLine
    },
    async countAnew() {
      if (job.takenOver && !isOver) await onCleared()
    },
    tellFault: (failure) => parts.tellFault(job, failure),
    isShared: shared !== undefined,
    keepPart: async (part) => shared?.keepPart(id, part),
    readParts: async () => (await shared?.readParts(id)) ?? [],
  }
  return {
    steps,
    /** Called when the job is over. */
    leave() {
      isOver = true
      leave()
    },
  }
}

/** Tells of a job until it is over: what goes on of its work then is another request's. */
function createNews(
  { job: { id }, news, onNews }: Parts,
  isOver: () => boolean,
): Pick<BatchSteps, 'onProgress' | 'onPartial' | 'onCounts'> {
  const tell = (told: () => void) => {
    if (isOver()) return
    told()
    onNews()
  }
  return {
    onProgress: (progress) => tell(() => news.tell(id, { progress })),
    onPartial: (partial) => tell(() => news.tellPartial(id, partial)),
    onCounts(counts) {
      const done = counts.succeeded + counts.failed
      tell(() => news.tell(id, { counts, progress: { stage: 'answering', done, total: counts.total } }))
    },
  }
}
