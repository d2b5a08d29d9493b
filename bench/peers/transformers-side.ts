import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Work } from './work.ts'
import { provideTransformersModel } from './write-transformers-model.ts'

/** What is used of @huggingface/transformers, installed only in this folder and only by who compares with it. */
interface TransformersModule {
  readonly env: { allowRemoteModels: boolean; localModelPath: string }
  readonly AutoModelForCausalLM: {
    from_pretrained(name: string, options: object): Promise<Model>
  }
  readonly DynamicCache: new (entries: Record<string, Tensor>) => unknown
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => Tensor
}

interface Tensor {
  readonly data: ArrayLike<number | bigint>
}

interface Model {
  (inputs: { input_ids: Tensor; attention_mask: Tensor; past_key_values: unknown }): Promise<Record<string, Tensor>>
  dispose(): Promise<unknown>
}

/** The same decoder in @huggingface/transformers: the state once, then each question on the state's keys and values. */
export class TransformersSide {
  readonly #module: TransformersModule
  readonly #model: Model

  private constructor(module: TransformersModule, model: Model) {
    this.#module = module
    this.#model = model
  }

  static async open(bundle: string, threads: number): Promise<TransformersSide> {
    const file = pathToFileURL(resolve('bench/peers/transformers.mjs')).href
    const module = (await import(file).catch((cause: unknown) => {
      const remedy = 'npm --prefix bench/peers install --ignore-scripts'
      throw new Error(`@huggingface/transformers is not installed: ${remedy}`, { cause })
    })) as TransformersModule
    const { folder, name } = await provideTransformersModel(bundle)
    module.env.allowRemoteModels = false
    module.env.localModelPath = resolve(folder)
    const model = await module.AutoModelForCausalLM.from_pretrained(name, {
      dtype: 'fp32',
      device: 'cpu',
      session_options: { intraOpNumThreads: threads },
    })
    return new TransformersSide(module, model)
  }

  async run({ state, questions, question }: Work): Promise<void> {
    const past = keysAndValues(await this.#read(state, 0, undefined))
    for (let index = 0; index < questions; index++) {
      const cache = new this.#module.DynamicCache(past)
      const { logits } = await this.#read(question, state, cache)
      if (!Number.isFinite(logits?.data[0])) throw new Error('expected finite logits from @huggingface/transformers')
    }
  }

  async dispose(): Promise<void> {
    await this.#model.dispose()
  }

  #read(tokens: number, past: number, cache: unknown): Promise<Record<string, Tensor>> {
    const { Tensor } = this.#module
    const ids = BigInt64Array.from({ length: tokens }, (_, i) => BigInt(1000 + ((i * 7) % 9000)))
    const mask = new BigInt64Array(past + tokens).fill(1n)
    return this.#model({
      input_ids: new Tensor('int64', ids, [1, tokens]),
      attention_mask: new Tensor('int64', mask, [1, mask.length]),
      past_key_values: cache,
    })
  }
}

function keysAndValues(outputs: Record<string, Tensor>): Record<string, Tensor> {
  const entries = Object.entries(outputs).filter(([name]) => name.startsWith('present.'))
  return Object.fromEntries(entries.map(([name, tensor]) => [name.replace('present', 'past_key_values'), tensor]))
}
