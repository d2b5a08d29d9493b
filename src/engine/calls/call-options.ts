import type { Progress } from '../../jobs/job-context.ts'
import type { Preview } from '../../jobs/preview.ts'
import type { LoraOption } from '../options/lora-options.ts'
import type { CallTimings } from './call-timings.ts'

/** What a call may say beside its request. */
export interface CallOptions {
  /**
   * Rejects the call with AbortedError. Computing stops at the next chunk.
   *
   * @example
   * ```ts
   * await decide(request, { signal: AbortSignal.timeout(5_000) })
   * ```
   */
  readonly signal?: AbortSignal | undefined
  /**
   * Called as the work goes on, on the caller's thread. What it throws, also as an async function, ends the call; once the call is over,
   * it is a warning of the process, and in browsers an `error` event of the page.
   *
   * @example
   * ```ts
   * await decide(request, { onProgress: ({ stage, done, total }) => console.log(stage, `${done} of ${total}`) })
   * ```
   */
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /**
   * Called once when a model has done the call or failed at it, on the caller's thread; not for a call that is aborted. What it throws does as
   * with `onProgress`.
   *
   * @example
   * ```ts
   * await decide(request, { onTimings: (timings) => console.log(timings) })
   * ```
   */
  readonly onTimings?: ((timings: CallTimings) => void) | undefined
  /**
   * Whether the engine's `keepStates` is for this call: `false` neither takes what was kept of its state nor keeps any of it. Default `true`.
   *
   * @example
   * ```ts
   * await engine.decide(request, { keepState: false })
   * ```
   */
  readonly keepState?: boolean | undefined
  /**
   * Who is calling; waiting calls are served round-robin over clients, and what `keepStates` keeps is found by
   * calls of the same client only. Default: one client for all.
   *
   * @example
   * ```ts
   * await engine.decide(request, { client: 'tenant-42' })
   * ```
   */
  readonly client?: string | undefined
  /**
   * `half`: waits apart from the other calls of its client, where a client gets every second turn; for batches, which give way. Default
   * `normal`.
   *
   * @example
   * ```ts
   * await engine.decide(request, { client: 'tenant-42', priority: 'half' })
   * ```
   */
  readonly priority?: 'normal' | 'half' | undefined
  /**
   * `wait` (default): the call waits as long as it takes, unless the engine's `maxQueue` is set and reached. `refuse`: it is
   * refused with OverloadedError where `maxQueue` calls wait already, or 64 where that is not set; for services.
   *
   * @example
   * ```ts
   * await engine.decide(request, { whenBusy: 'refuse' })
   * ```
   */
  readonly whenBusy?: 'wait' | 'refuse' | undefined
  /**
   * Adapters that the model computes with, 16 at most, beside those that `loras` of the engine gives to its name. A model is opened anew for every
   * other choice, and several stay open as `memoryBudget` allows. Not in browsers, nor over a queue.
   *
   * @example
   * ```ts
   * await generateImage({ prompt: 'a fox' }, { lora: [{ path: './ink.safetensors', scale: 0.8 }] })
   * ```
   */
  readonly lora?: readonly LoraOption[] | undefined
}

/** Options of any call that a queue takes; only calls for pictures have previews. */
export interface ListeningOptions extends CallOptions {
  readonly onPreview?: ((preview: Preview) => void) | undefined
}

/** How a model is opened ahead of its first call. */
export interface LoadOptions extends Pick<CallOptions, 'signal' | 'onProgress'> {
  /**
   * Neither `keepAlive` nor `memoryBudget` closes it, until the engine is disposed; default false. A load that fails keeps it open in no worker.
   *
   * @example
   * ```ts
   * await engine.load('decide-latest', { keepOpen: true })
   * ```
   */
  readonly keepOpen?: boolean | undefined
}
