import type { SharedJobs } from '../jobs/job-store.ts'
import type { Job } from '../jobs/job.ts'
import { MemoryJobStore } from '../jobs/memory-job-store.ts'

/** A store that jobs can be left in, as those of a process that has ended are. */
export class LeftJobStore extends MemoryJobStore {
  readonly parts: string[] = []
  readonly #left: Job[] = []
  readonly shared: SharedJobs = {
    renew: async () => {},
    takeOver: async () => this.#left.splice(0),
    release: async () => {},
    cancel: async () => {},
    tellNews: async () => {},
    readNews: async () => undefined,
    keepPart: async (_, part) => void this.parts.push(part),
    readParts: async () => [...this.parts],
    webhooks: { take: async () => [], leave: async () => {}, forget: async () => {} },
    onCancel: () => {},
  }

  async leave(job: Job): Promise<void> {
    await this.add(job)
    this.#left.push(job)
  }
}
