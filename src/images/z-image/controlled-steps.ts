import type { Session, Tensor } from '../../backends/backend.ts'
import type { HintPlaces } from '../../graph/index.ts'
import type { ZImageControlConfig } from '../../models/configs/z-image-control-config.ts'
import type { ControlInputs, StepInputs, ZImageSteps } from './z-image-steps.ts'

/** See `buildZImageStages` and `buildZImageControl`. */
export interface ControlledSessions {
  readonly start: Session
  readonly refiner: Session
  readonly layers: Session
  readonly control: { readonly reader: Session; readonly layers: Session }
}

/** Layers of the transformer and of its refiner that a ControlNet adds to. */
export function hintPlaces({ control_layers_places, control_refiner_layers_places }: ZImageControlConfig): HintPlaces {
  return { layers: control_layers_places, refiner: control_refiner_layers_places ?? [] }
}

/** The transformer of a pipeline with a ControlNet: a call without a control computes with zeros in place of what it would add. */
export class ControlledSteps implements ZImageSteps {
  readonly #config: ZImageControlConfig
  readonly #places: HintPlaces
  readonly #sessions: ControlledSessions

  constructor(config: ZImageControlConfig, sessions: ControlledSessions) {
    this.#config = config
    this.#places = hintPlaces(config)
    this.#sessions = sessions
  }

  async predict(
    inputs: StepInputs,
    control: ControlInputs | undefined,
    turn: () => Promise<void>,
  ): Promise<Float32Array> {
    const { tokens, token_rows, timestep, ...rows } = inputs
    await turn()
    const { x, time } = await this.#sessions.start.run({ tokens, token_rows, timestep })
    const begun = { x: x!, time: time! }
    const seen = control && (await this.#control(inputs, begun, control, turn))
    const refined = seen?.refined ?? (await this.#refine(inputs, begun, undefined, turn))
    const hints = seen?.hints ?? this.#zeros(this.#places.layers)
    await turn()
    const { prediction } = await this.#sessions.layers.run({ ...rows, time: begun.time, refined, hints })
    const { dims, data } = prediction!
    return (data as Float32Array).subarray(0, tokens.dims[0]! * dims[1]!)
  }

  /** What the ControlNet adds to the layers, and the refined picture where it is the transformer's own too. */
  async #control(inputs: StepInputs, begun: Begun, control: ControlInputs, turn: () => Promise<void>) {
    const scale = float32(Float32Array.of(control.scale), 1)
    await turn()
    const read = await this.#read(inputs, begun, { tokens: this.#toTensor(control, inputs), scale })
    const refined = await this.#refine(inputs, begun, read.hints, turn)
    const { caption, cos, sin, caption_cos, caption_sin } = inputs
    const captioned = { caption, cos, sin, caption_cos, caption_sin }
    await turn()
    const { hints } = await this.#sessions.control.layers.run(
      { ...captioned, context: read.context, x: refined, time: begun.time, scale },
      ['hints'],
    )
    return { hints: hints!, refined: read.hints === undefined ? refined : undefined }
  }

  /** The control, and what it adds to the refiner: by blocks of its own, by its layers without a caption, or not at all. */
  async #read({ cos, sin }: StepInputs, { x, time }: Begun, control: { tokens: Tensor; scale: Tensor }) {
    const { reader, layers } = this.#sessions.control
    const { add_control_noise_refiner: refines } = this.#config
    const { scale } = control
    if (refines !== 'control_layers') {
      const feeds = { control: control.tokens, x, time, cos, sin, ...(refines && { scale }) }
      const { context, hints } = await reader.run(feeds)
      return { context: context!, hints: hints && this.#take(hints) }
    }
    const { context } = await reader.run({ control: control.tokens, x })
    const nothing = float32(new Float32Array(0), 0, cos.dims[1]!)
    const { joined, hints } = await layers.run({
      context: context!,
      x,
      time,
      cos,
      sin,
      scale,
      caption: float32(new Float32Array(0), 0, this.#config.dim),
      caption_cos: nothing,
      caption_sin: nothing,
    })
    return { context: joined!, hints: this.#take(hints!) }
  }

  async #refine({ cos, sin }: StepInputs, { x, time }: Begun, hints: Tensor | undefined, turn: () => Promise<void>) {
    const { refiner: places } = this.#places
    await turn()
    const added = places.length > 0 && { hints: hints ?? this.#zeros(places) }
    const { refined } = await this.#sessions.refiner.run({ x, time, cos, sin, ...added })
    return refined!
  }

  /** As many as the refiner has places for; layers that read the control without a caption make more. */
  #take({ dims: [, ...others], data }: Tensor): Tensor {
    const count = this.#places.refiner.length
    const size = others.reduce((product, dim) => product * dim, count)
    return float32((data as Float32Array).subarray(0, size), count, ...others)
  }

  #zeros({ length }: readonly number[]): Tensor {
    return float32(new Float32Array(length * this.#config.dim), length, 1, this.#config.dim)
  }

  #toTensor({ tokens }: ControlInputs, { tokens: picture }: StepInputs): Tensor {
    const count = picture.dims[0]!
    return float32(tokens, count, tokens.length / count)
  }

  async dispose(): Promise<void> {
    const { control, ...transformer } = this.#sessions
    await Promise.all([...Object.values(transformer), ...Object.values(control)].map((session) => session.dispose()))
  }
}

/** What the start of the transformer makes of a step. */
interface Begun {
  readonly x: Tensor
  readonly time: Tensor
}

function float32(data: Float32Array, ...dims: readonly number[]): Tensor {
  return { type: 'float32', dims, data }
}
