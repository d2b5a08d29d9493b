import type { Served } from '../calls/call-timings.ts'

/** Measures what a worker has to do with one call. */
export class Stint {
  /** Model that does the work, once it is known. */
  model: string | undefined
  #began: number | undefined

  /** The call has its first turn to compute. */
  begin(): void {
    this.#began = performance.now()
  }

  /** @returns undefined where no model was found */
  end(): Served | undefined {
    if (this.model === undefined) return undefined
    return { model: this.model, computeMs: this.#began === undefined ? 0 : performance.now() - this.#began }
  }
}
