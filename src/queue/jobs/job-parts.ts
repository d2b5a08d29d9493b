import type { RedisClient } from '../../redis/connect-redis.ts'
import { jobLeaseKey, jobPartsKey, OPEN_JOBS_KEY } from '../queue-names.ts'
import type { Sealer } from '../sealer.ts'
import { OPEN_KEPT_MS } from './job-leases.ts'
import { KEEP_PART } from './job-scripts.ts'

/** What jobs that are not over have come to, for processes that take them over. */
export class JobParts {
  readonly #client: RedisClient
  readonly #sealer: Sealer
  readonly #process: string

  /** @param process its name among those that have jobs */
  constructor(client: RedisClient, sealer: Sealer, process: string) {
    this.#client = client
    this.#sealer = sealer
    this.#process = process
  }

  /** One command, as the client never gives up those of a transaction while the server is away. */
  async keep(id: string, part: string): Promise<void> {
    const sealed = this.#sealer.seal(part, id)
    const keys = [jobPartsKey(id), OPEN_JOBS_KEY, jobLeaseKey(id)]
    await this.#client.eval(KEEP_PART, { keys, arguments: [id, this.#process, sealed, String(OPEN_KEPT_MS)] })
  }

  /** Without the parts that are sealed with a key that is not known here: what they hold is computed again. */
  async read(id: string): Promise<string[]> {
    const parts = await this.#client.lRange(jobPartsKey(id), 0, -1)
    return parts.flatMap((sealed) => {
      try {
        return [this.#sealer.open(sealed, id)]
      } catch {
        return []
      }
    })
  }
}
