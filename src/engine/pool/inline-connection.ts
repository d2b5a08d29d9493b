import { type CreateBackend, type CreateTaskSource, JobRunner } from '../worker/job-runner.ts'
import type { Connect } from './connection.ts'

/** Runs jobs in the calling thread, through the same code as a worker does. */
export function connectInline(createSource: CreateTaskSource, createBackend: CreateBackend): Connect {
  return ({ onMessage }) => {
    let open = true
    const runner = new JobRunner(createSource, createBackend, (message) => {
      if (open) onMessage(message)
    })
    return {
      post: (message) => void runner.handle(message),
      setBusy: () => {},
      close: async () => {
        open = false
        await runner.dispose()
      },
    }
  }
}
