import type { LanguageModelCheckpoint } from '../../../test/helpers/language-model-fixture.ts'
import { int64 } from '../../../test/helpers/run-graph.ts'
import type { Backend, Precision, Session, Tensor } from '../../backends/backend.ts'
import { buildLanguageModel, type LanguageModelOptions } from '../language-model/language-model.ts'

/** Allowed and forbidden columns of one branch row, as `attention_bias` wants them. */
export type Sees = (row: number, column: number) => boolean

export interface BranchPass {
  readonly ids: readonly number[]
  /** Valid cache positions before this pass. */
  readonly past: number
  /** @defaultValue past, past + 1, ... */
  readonly positions?: readonly number[]
  /** On top of causality. @defaultValue everything */
  readonly sees?: Sees
  /** @defaultValue all */
  readonly rows?: readonly number[]
  readonly symbols?: readonly number[]
}

const HALF_NAN = 0x7e00

/** A language model with its cache in fixed buffers that every pass reads and prefill passes extend. */
export class LanguageModelRun {
  readonly cache: Record<string, Float32Array | Uint16Array> = {}
  readonly #precision: Precision
  readonly #checkpoint: LanguageModelCheckpoint
  readonly #prefill: Session
  readonly #branch: Session
  readonly #capacity: number

  private constructor(
    checkpoint: LanguageModelCheckpoint,
    prefill: Session,
    branch: Session,
    capacity: number,
    precision: Precision,
  ) {
    this.#precision = precision
    this.#checkpoint = checkpoint
    this.#prefill = prefill
    this.#branch = branch
    this.#capacity = capacity
    const { num_key_value_heads: heads, head_dim: size, num_hidden_layers: layers } = checkpoint.config
    for (let i = 0; i < layers; i++) {
      // Poisoned, so that reading a position that no pass wrote shows.
      const length = heads * capacity * size
      const poisoned = () =>
        precision === 'float16' ? new Uint16Array(length).fill(HALF_NAN) : new Float32Array(length).fill(Number.NaN)
      this.cache[`key.${i}`] = poisoned()
      this.cache[`value.${i}`] = poisoned()
    }
  }

  static async open(
    backend: Backend,
    checkpoint: LanguageModelCheckpoint,
    capacity: number,
    options: Partial<Pick<LanguageModelOptions, 'head' | 'linear' | 'attention' | 'precision'>> = {},
  ): Promise<LanguageModelRun> {
    const open = (graph: 'prefill' | 'branch') =>
      backend.createSession(
        buildLanguageModel(checkpoint.config, checkpoint.weights, {
          graph,
          linear: 'float',
          maxPositions: capacity,
          ...options,
        }),
      )
    const [prefill, branch] = [await open('prefill'), await open('branch')]
    return new LanguageModelRun(checkpoint, prefill, branch, capacity, options.precision ?? 'float32')
  }

  async prefill(ids: readonly number[], past: number): Promise<void> {
    const rows = await this.#prefill.run(pick(this.#feeds(ids, past), this.#prefill))
    const { num_key_value_heads: heads, head_dim: size } = this.#checkpoint.config
    for (const [name, cache] of Object.entries(this.cache)) {
      const { data } = rows[name]!
      for (let head = 0; head < heads; head++) {
        const part = data.subarray(head * ids.length * size, (head + 1) * ids.length * size)
        cache.set(part as never, (head * this.#capacity + past) * size)
      }
    }
  }

  async branch(pass: BranchPass): Promise<Record<string, Tensor>> {
    const { ids, past, sees = () => true, rows = ids.map((_, i) => i) } = pass
    const total = past + ids.length
    const bias = Float32Array.from({ length: ids.length * total }, (_, i) =>
      sees(Math.floor(i / total), i % total) ? 0 : -6e4,
    )
    const symbols = pass.symbols ?? Array.from({ length: this.#checkpoint.config.vocab_size }, (_, i) => i)
    const wanted: Record<string, Tensor> = {
      ...this.#feeds(ids, past, pass.positions),
      attention_bias: { type: 'float32', dims: [1, 1, ids.length, total], data: bias },
      rows: int64(rows, rows.length),
      symbol_ids: int64(symbols, symbols.length),
    }
    return this.#branch.run(pick(wanted, this.#branch))
  }

  async dispose(): Promise<void> {
    await Promise.all([this.#prefill.dispose(), this.#branch.dispose()])
  }

  #feeds(
    ids: readonly number[],
    past: number,
    positions: readonly number[] = ids.map((_, i) => past + i),
  ): Record<string, Tensor> {
    const total = past + ids.length
    return {
      input_ids: int64(ids, 1, ids.length),
      position_ids: int64(positions, 1, ids.length),
      seqlens_k: { type: 'int32', dims: [1], data: Int32Array.of(total - 1) },
      total_sequence_length: { type: 'int32', dims: [], data: Int32Array.of(total) },
      ...this.#past(),
    }
  }

  #past(): Record<string, Tensor> {
    const { num_key_value_heads: heads, head_dim: size } = this.#checkpoint.config
    const dims = [1, heads, this.#capacity, size]
    return Object.fromEntries(
      Object.entries(this.cache).map(([name, data]) => [`past_${name}`, { type: this.#precision, dims, data }]),
    )
  }
}

/** The inputs of a session's graph. */
function pick(feeds: Readonly<Record<string, Tensor>>, { inputNames }: Session): Record<string, Tensor> {
  return Object.fromEntries(inputNames.map((name) => [name, feeds[name]!]))
}
