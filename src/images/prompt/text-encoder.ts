import type { Backend, Tensor } from '../../backends/backend.ts'
import { ModelFormatError } from '../../errors/index.ts'
import { buildHiddenStates, chooseCompute } from '../../graph/index.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import { readModelConfig } from '../../models/configs/model-config.ts'
import type { ModelFiles } from '../../models/files/model-files.ts'
import { readTextEncoderConfig } from '../../models/language-models/families.ts'
import { checkTensors } from '../../models/language-models/tensor-layout.ts'
import { indexWeights } from '../../models/weights/index-weights.ts'
import { loadPromptTokenizer, type PromptField, type PromptFormat } from './prompt-tokenizer.ts'

/** With `pad`, every prompt is filled up to `maxTokens`, and the padding's rows are features too. */
export interface TextEncoderOptions extends PromptFormat {
  /** Which hidden states stand side by side in the features, given the number of layers. */
  readonly hiddenStates: (layers: number) => readonly number[]
  /** Width of the features that the transformer wants. */
  readonly width: number
}

export interface TextEncoder {
  /** Only throws what `encode` would, before other work for the prompt is done. @throws InvalidRequestError as that does */
  check(prompt: string, field?: PromptField): void
  /**
   * Features of a prompt, float32 [tokens, width].
   *
   * @throws InvalidRequestError naming `field`, by default `prompt`, for more tokens than the model reads
   */
  encode(prompt: string, context: JobContext, field?: PromptField): Promise<Tensor>
  dispose(): Promise<void>
}

/** @param files the pipeline's, with `text_encoder` and `tokenizer` in it */
export async function openTextEncoder(
  backend: Backend,
  files: ModelFiles,
  options: TextEncoderOptions,
): Promise<TextEncoder> {
  const folder = files.within('text_encoder')
  const described = await readModelConfig(folder)
  const { file } = described
  const config = readTextEncoderConfig(described)
  const weights = await indexWeights(folder)
  checkTensors(config, weights)
  const tokenizer = await loadPromptTokenizer(files.within('tokenizer'), options, config.vocab_size)
  const hiddenStates = options.hiddenStates(config.num_hidden_layers)
  const highest = Math.max(...hiddenStates)
  if (highest > config.num_hidden_layers) {
    throw new ModelFormatError(file, `at least ${highest} layers to read`, String(config.num_hidden_layers))
  }
  const width = hiddenStates.length * config.hidden_size
  if (width !== options.width) {
    throw new ModelFormatError(file, `features of the transformer's width ${options.width}`, String(width))
  }
  const session = await backend.createSession(
    buildHiddenStates(config, weights, {
      ...chooseCompute(backend, weights),
      hiddenStates,
      maxPositions: options.maxTokens,
    }),
  )
  return {
    check: (prompt, field) => void tokenizer.encode(prompt, field),
    async encode(prompt, context, field) {
      const ids = tokenizer.encode(prompt, field)
      const length = options.pad ? options.maxTokens : ids.length
      const padded = [...ids, ...Array<number>(length - ids.length).fill(tokenizer.padding)]
      await context.turn()
      const { hidden } = await session.run({
        input_ids: { type: 'int64', dims: [1, length], data: BigInt64Array.from(padded, BigInt) },
        position_ids: { type: 'int64', dims: [1, length], data: BigInt64Array.from(padded, (_, i) => BigInt(i)) },
        seqlens_k: { type: 'int32', dims: [1], data: Int32Array.of(ids.length - 1) },
        total_sequence_length: { type: 'int32', dims: [], data: Int32Array.of(length) },
      })
      return hidden!
    },
    dispose: () => session.dispose(),
  }
}
