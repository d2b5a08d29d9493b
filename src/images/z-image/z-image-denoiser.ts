import type { Backend, Session, Tensor } from '../../backends/backend.ts'
import { InvalidRequestError } from '../../errors/index.ts'
import {
  buildZImageCaption,
  buildZImageControl,
  buildZImageStages,
  buildZImageTransformer,
  zImageBlockMemory,
  zImageControlMemory,
  chooseAttention,
  chooseLinear,
  refuseUnread,
} from '../../graph/index.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { ZImageConfig } from '../../models/configs/z-image-config.ts'
import type { ZImageControlConfig } from '../../models/configs/z-image-control-config.ts'
import type { BuiltGraph } from '../../onnx/built-graph.ts'
import type { PromptField } from '../prompt/prompt-tokenizer.ts'
import type { Part } from '../read-part.ts'
import { captionPositions, padLength, picturePositions, type Grid } from '../sampling/positions.ts'
import type { Predict } from '../sampling/predict.ts'
import { computeRotaryTable } from '../sampling/rotary-table.ts'
import { computeTimestepFeatures, TIMESTEP_FEATURES } from '../sampling/timestep-features.ts'
import { ControlledSteps, hintPlaces } from './controlled-steps.ts'
import { type ControlInputs, createWholeSteps, type ZImageSteps } from './z-image-steps.ts'

/**
 * Opens Z-Image's transformer, and the ControlNet of a pipeline that has one.
 *
 * @throws ModelFormatError when a tensor is missing, of another shape, or nothing is computed from it
 */
export async function openZImageDenoiser(
  backend: Backend,
  transformer: Part<ZImageConfig>,
  control?: Part<ZImageControlConfig>,
): Promise<ZImageDenoiser> {
  const { config, weights } = transformer
  const { precision } = backend
  const attention = chooseAttention(backend, config.quantization_config)
  const options = { linear: chooseLinear(weights), attention, precision }
  const caption = buildZImageCaption(config, weights, options)
  if (control === undefined) {
    const whole = buildZImageTransformer(config, weights, options)
    refuseUnread(weights, [caption, whole], transformer.unread)
    const session = await backend.createSession(caption)
    return new ZImageDenoiser(config, session, createWholeSteps(await backend.createSession(whole)), undefined)
  }
  const stages = buildZImageStages(config, weights, hintPlaces(control.config), options)
  refuseUnread(weights, [caption, ...Object.values(stages)], transformer.unread)
  const controlNet = buildZImageControl(control.config, control.weights, {
    ...options,
    linear: chooseLinear(control.weights),
  })
  refuseUnread(control.weights, Object.values(controlNet), control.unread)
  const open = (graph: BuiltGraph) => backend.createSession(graph)
  return new ZImageDenoiser(
    config,
    await open(caption),
    new ControlledSteps(control.config, {
      start: await open(stages.start),
      refiner: await open(stages.refiner),
      layers: await open(stages.layers),
      control: { reader: await open(controlNet.reader), layers: await open(controlNet.layers) },
    }),
    control.config,
  )
}

/** Z-Image's transformer: the caption is refined once, then every step predicts from it. */
export class ZImageDenoiser {
  readonly #config: ZImageConfig
  readonly #caption: Session
  readonly #steps: ZImageSteps
  readonly #control: ZImageControlConfig | undefined

  /** @param control undefined where there is no ControlNet */
  constructor(config: ZImageConfig, caption: Session, steps: ZImageSteps, control: ZImageControlConfig | undefined) {
    this.#config = config
    this.#caption = caption
    this.#steps = steps
    this.#control = control
  }

  /** Bytes that steps of a picture of so many tokens take beside the weights: what all sessions keep of their runs, with a control where there is a ControlNet. */
  workingMemory(tokens: number): number {
    const block = zImageBlockMemory(this.#config)
    if (this.#control === undefined) return block * tokens
    const { reader, layers, hints } = zImageControlMemory(this.#control)
    // The transformer's refiner is a session of its own then.
    return (2 * block + reader + layers + hints) * tokens
  }

  /** The same where one session is open at a time. */
  stageMemory(tokens: number): number {
    if (this.#control === undefined) return this.workingMemory(tokens)
    const { layers, hints } = zImageControlMemory(this.#control)
    return (layers + hints) * tokens
  }

  /**
   * Prepares for a caption (features [L, cap_feat_dim]) and a picture of a grid of tokens; the latents to predict for
   * are tokens [N, 4 · in_channels].
   *
   * @throws InvalidRequestError when there are more positions than the model knows, naming `field` where the caption has them
   */
  async begin(
    features: Tensor,
    grid: Grid,
    context: JobContext,
    control?: ControlInputs,
    field: PromptField = 'prompt',
  ): Promise<Predict> {
    const length = features.dims[0]!
    const padded = padLength(length)
    this.#checkPositions(grid, padded, field)
    const captionRotary = this.#rotary(captionPositions(padded))
    const turn = () => context.turn()
    await turn()
    const { caption } = await this.#caption.run({
      caption_features: features,
      caption_rows: rowsWithPadding(length, padded),
      ...captionRotary,
    })
    const count = grid.height * grid.width
    const constant = {
      token_rows: rowsWithPadding(count, padLength(count)),
      caption: caption!,
      ...this.#rotary(picturePositions(grid, padded)),
      caption_cos: captionRotary.cos,
      caption_sin: captionRotary.sin,
    }
    return async (latents, sigma) => {
      const inputs = {
        ...constant,
        tokens: { type: 'float32', dims: [count, latents.length / count], data: latents },
        timestep: { type: 'float32', dims: [1, TIMESTEP_FEATURES], data: computeTimestepFeatures(cleanTime(sigma)) },
      } as const
      // The model predicts towards the noise.
      return (await this.#steps.predict(inputs, control, turn)).map((value) => -value)
    }
  }

  async dispose(): Promise<void> {
    await this.#caption.dispose()
    await this.#steps.dispose()
  }

  #checkPositions({ height, width }: Grid, paddedCaption: number, field: PromptField): void {
    const [frames, rows, columns] = this.#config.axes_lens
    if (paddedCaption + 2 > frames) {
      throw new InvalidRequestError(field, `the model has ${frames} positions, of which the text fills too many`)
    }
    if (height > rows || width > columns) {
      throw new InvalidRequestError('size', `the model knows ${columns}x${rows} places, got ${width}x${height}`)
    }
  }

  #rotary(positions: Int32Array): { cos: Tensor; sin: Tensor } {
    const { axes_dims: widths, rope_theta: theta } = this.#config
    const { cos, sin } = computeRotaryTable(positions, { widths, theta, rounds: 'angles' })
    const tokens = positions.length / widths.length
    const dims = [tokens, cos.length / tokens]
    return { cos: { type: 'float32', dims, data: cos }, sin: { type: 'float32', dims, data: sin } }
  }
}

/** The model counts time from noise (0) to picture (1000). Rounded where the reference rounds. */
function cleanTime(sigma: number): number {
  const { fround } = Math
  return fround(fround(fround(1000 - fround(sigma * 1000)) / 1000) * 1000)
}

/** Rows 0 to count - 1, then row `count`, the learned padding, up to a length of `padded`. */
function rowsWithPadding(count: number, padded: number): Tensor {
  const data = BigInt64Array.from({ length: padded }, (_, i) => BigInt(Math.min(i, count)))
  return { type: 'int64', dims: [padded], data }
}
