import type { Backend, Session, Tensor } from '../../backends/backend.ts'
import { buildFlux2Transformer, chooseAttention, chooseLinear, refuseUnread } from '../../graph/index.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { Flux2Config } from '../../models/configs/flux2-config.ts'
import type { Part } from '../read-part.ts'
import { concatenateFloats } from '../sampling/concatenate-floats.ts'
import { jointPositions, type Grid } from '../sampling/positions.ts'
import type { Predict } from '../sampling/predict.ts'
import { computeRotaryTable } from '../sampling/rotary-table.ts'
import { computeTimestepFeatures, TIMESTEP_FEATURES } from '../sampling/timestep-features.ts'

/** A reference picture as the transformer sees it. */
export interface EncodedReference {
  readonly grid: Grid
  /** float32 [tokens, in_channels] */
  readonly tokens: Float32Array
}

/** Makes the session of FLUX.2's transformer. */
export async function openFlux2Denoiser(
  backend: Backend,
  { config, weights, unread }: Part<Flux2Config>,
): Promise<Flux2Denoiser> {
  const graph = buildFlux2Transformer(config, weights, {
    linear: chooseLinear(weights),
    attention: chooseAttention(backend, config.quantization_config),
    precision: backend.precision,
  })
  refuseUnread(weights, [graph], unread)
  return new Flux2Denoiser(config, await backend.createSession(graph))
}

/** FLUX.2's transformer. */
export class Flux2Denoiser {
  readonly #config: Flux2Config
  readonly #transformer: Session

  constructor(config: Flux2Config, transformer: Session) {
    this.#config = config
    this.#transformer = transformer
  }

  /**
   * Prepares for a text (features [T, joint_attention_dim]), a picture of a grid of tokens and its references; the
   * latents to predict for are tokens [N, in_channels].
   */
  begin(text: Tensor, grid: Grid, references: readonly EncodedReference[], context: JobContext): Predict {
    const { in_channels: channels, axes_dims_rope: widths, rope_theta: theta, attention_head_dim: size } = this.#config
    const positions = jointPositions(
      text.dims[0]!,
      grid,
      references.map((reference) => reference.grid),
    )
    const { cos, sin } = computeRotaryTable(positions, { widths, theta, rounds: 'results' })
    const dims = [positions.length / widths.length, size / 2]
    const constant: Record<string, Tensor> = {
      text,
      cos: { type: 'float32', dims, data: cos },
      sin: { type: 'float32', dims, data: sin },
    }
    return async (latents, sigma) => {
      await context.turn()
      const data = concatenateFloats([latents, ...references.map(({ tokens }) => tokens)])
      const { velocity } = await this.#transformer.run({
        ...constant,
        tokens: { type: 'float32', dims: [data.length / channels, channels], data },
        timestep: { type: 'float32', dims: [1, TIMESTEP_FEATURES], data: computeTimestepFeatures(noiseTime(sigma)) },
      })
      return (velocity!.data as Float32Array).subarray(0, latents.length)
    }
  }

  dispose(): Promise<void> {
    return this.#transformer.dispose()
  }
}

/** The model counts time from picture (0) to noise (1000). Rounded where the reference rounds. */
function noiseTime(sigma: number): number {
  const { fround } = Math
  return fround(fround(fround(sigma * 1000) / 1000) * 1000)
}
