import type { Progress } from '../../engine/index.ts'
import type { JobCounts, PartialPicture } from './job.ts'

/** How far a job is that runs. */
export interface JobNews {
  readonly progress?: Progress
  readonly counts?: JobCounts
  /** Previews of its pictures, the oldest first. */
  readonly partials?: readonly PartialPicture[]
}

/** Where processes that share jobs leave news for each other. */
interface SharedNews {
  tellNews(id: string, news: string): Promise<void>
  readNews(id: string): Promise<string | undefined>
}

/** A process that asks for the news of another's job does so twice a second. */
const SHARE_EVERY_MS = 500

/** The news of jobs, those of other processes included. */
export class NewsBoard {
  readonly #shared: SharedNews | undefined
  readonly #own = new Map<string, JobNews>()
  readonly #waiting = new Map<string, NodeJS.Timeout>()

  constructor(shared: SharedNews | undefined) {
    this.#shared = shared
  }

  /** What this process knows. */
  own(id: string): JobNews | undefined {
    return this.#own.get(id)
  }

  /** What any process knows. Where the store is away there is no news. */
  async read(id: string): Promise<JobNews | undefined> {
    const text = this.#own.has(id) ? undefined : await this.#shared?.readNews(id).catch(() => undefined)
    return text === undefined ? this.#own.get(id) : (JSON.parse(text) as JobNews)
  }

  tell(id: string, news: JobNews): void {
    this.#own.set(id, { ...this.#own.get(id), ...news })
    if (this.#shared === undefined || this.#waiting.has(id)) return
    this.#waiting.set(id, setTimeout(() => this.#share(id), SHARE_EVERY_MS).unref())
  }

  tellPartial(id: string, partial: PartialPicture): void {
    this.tell(id, { partials: [...(this.#own.get(id)?.partials ?? []), partial] })
  }

  forget(id: string): void {
    clearTimeout(this.#waiting.get(id))
    this.#waiting.delete(id)
    this.#own.delete(id)
  }

  #share(id: string): void {
    this.#waiting.delete(id)
    void this.#shared!.tellNews(id, JSON.stringify(this.#own.get(id))).catch(() => {})
  }
}
