import type { CallTimings, Progress } from '../engine/index.ts'
import type { TesseraError } from '../errors/index.ts'
import type { BodyType, JsonOrForm } from './body/body-readers.ts'
import type { Dialect } from './error-response.ts'
import type { PartialPicture } from './jobs/job.ts'
import type { Preferences } from './jobs/preferences.ts'
import type { ApiKey } from './keys/key-store.ts'
import type { Scope } from './keys/scopes.ts'
import type { Allowance } from './limits/count-requests.ts'
import type { Refusal } from './refusal.ts'

/** What a request that is answered as a job tells on its way. */
export interface JobSteps {
  /**
   * Awaited when the request is admitted, before its work: waits for its turn.
   *
   * @throws AbortedError
   */
  begin(signal: AbortSignal): Promise<void>
  onProgress(progress: Progress): void
  /** Told of a preview of a picture. */
  onPartial(partial: PartialPicture): void
  /** Whether its work has half the priority of other work; default false. */
  readonly isHalf?: boolean
}

/** One request on its way through a route. */
export interface Call {
  readonly method: string
  readonly caller: ApiKey
  /** Name of the key, `key_` and 12 digits of its SHA-256; undefined where it has none. */
  readonly keyName: string | undefined
  /** What stands in the path for the names in braces of the route's. */
  readonly params: Readonly<Record<string, string>>
  readonly preferences: Preferences
  /** The address that is to be told of the end of a job, as the client gave it. */
  readonly webhook: string | undefined
  /** Where it is answered as a job. */
  readonly job: JobSteps | undefined
  /** What stands behind the `?` of the address. */
  readonly query: URLSearchParams
  /** Fires when the client hangs up. */
  readonly signal: AbortSignal
  /** The key under which the client wants the request to be charged, or a top-up to be made, once, however often it comes. */
  readonly idempotencyKey: string | undefined
  /** How often the client has sent the request again by itself; 0 where it says nothing. */
  readonly retryCount: number
  /** Reads the body, once, as what the route takes. */
  readBody(): Promise<JsonOrForm>
  /** The same of a route that takes no form. */
  readJson(): Promise<unknown>
  /**
   * Says when a response whose body goes on has ended, and what went wrong on the way. Until then the request keeps its
   * place under the limits of its key.
   */
  holdUntil(ended: Promise<TesseraError | Refusal | undefined>): void
  /** Notes what is left of the tokens that the key may have read in this minute. */
  noteTokens(allowance: Allowance): void
  /** Notes what the answer used: input tokens of a decision, else images. */
  noteUnits(units: number): void
  /** Notes where the time of a call of the engine went; those of several calls are added. */
  noteTimings(timings: CallTimings): void
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Segments in braces, as of `/v1/jobs/{id}`, stand for any text. */
  readonly path: string
  /** `open` needs no key, `key` one where the server has keys; `work` also counts against the key's rate limits. */
  readonly access: 'open' | 'key' | 'work'
  /** What the key must be good for; default any key. A server without keys asks only for `admin`, which nobody has there. */
  readonly scope?: Scope
  readonly dialect: Dialect
  /** Whether it is answered also when the server refuses everything else; default false. */
  readonly isAnsweredWhileClosing?: boolean
  /** What its body is; default JSON. */
  readonly takes?: BodyType
  /** Largest body in bytes; default that of the server. */
  readonly maxBodyBytes?: number
  handle(call: Call): Promise<Response> | Response
}
