import { GUIDANCE, SEED, STEPS, STRENGTH } from '../../images/sampling/sampling-options.ts'
import type { Preview } from '../../jobs/preview.ts'
import { optionTable, readOption, readOptions } from '../../options/index.ts'
import { negativePromptSchema } from '../../schemas/image-schemas.ts'
import type { ListeningOptions } from './call-options.ts'
import type { ControlOption } from './control-option.ts'

/** What the wire of the image endpoints does not carry. */
export interface ImageCallOptions extends ListeningOptions {
  /**
   * Denoising steps, 1 to 1000. Default: what the model was made for.
   *
   * @example
   * ```ts
   * await generateImage({ prompt: 'an apple on a blue background' }, { steps: 8 })
   * ```
   */
  readonly steps?: number | undefined
  /**
   * Strength of classifier-free guidance, 0 to 100; it doubles the time of a step. Default: what the model was made
   * for. Step-distilled FLUX.2 models ignore it.
   *
   * @example
   * ```ts
   * await generateImage({ prompt: 'an apple on a blue background' }, { guidance: 4 })
   * ```
   */
  readonly guidance?: number | undefined
  /**
   * What guidance leads away from. Only for models and calls with guidance, others refuse it unless it is empty. Default: the empty prompt.
   *
   * @example
   * ```ts
   * await generateImage({ prompt: 'a lake at dawn', model: 'base' }, { negativePrompt: 'people, boats' })
   * ```
   */
  readonly negativePrompt?: string | undefined
  /**
   * A picture whose edges, pose or depth the new one follows. Only for models with a ControlNet, others refuse it.
   *
   * @example
   * ```ts
   * await generateImage({ prompt: 'a cat', size: '768x512' }, { control: { image: await readFile('edges.png'), scale: 0.75 } })
   * ```
   */
  readonly control?: ControlOption | undefined
  /**
   * Called after every denoising step with a look at what the picture will be, small and coarse with the published models, on the caller's thread.
   * The first call of those with it takes longer: the autoencoder is shown five pictures of 256 × 256 then. What it throws does as with
   * `onProgress`.
   *
   * @example
   * ```ts
   * await generateImage({ prompt: 'an apple on a blue background' }, { onPreview: ({ step, b64_json }) => console.log(step, b64_json.length) })
   * ```
   */
  readonly onPreview?: ((preview: Preview) => void) | undefined
}

/** What a call of `editImage` may say beside its request. */
export interface EditImageCallOptions extends ImageCallOptions {
  /**
   * Integer within ±(2^53 - 1); variant k is drawn from `seed + k`. It goes before the `seed` of the request, which is its default; without
   * either a random one.
   *
   * @example
   * ```ts
   * await editImage({ prompt: 'change the background to yellow', image: new URL('apple.png', import.meta.url) }, { seed: 7 })
   * ```
   */
  readonly seed?: number | undefined
  /**
   * How far from the first source, above 0 to 1: the share of the steps that are taken, one at least. Default: models of FLUX.2 see the source as a reference and begin with noise alone, with a mask 0.8;
   * Z-Image 0.6, with a mask 1.
   *
   * @example
   * ```ts
   * await editImage({ prompt: 'an oil painting', image: await readFile('photo.png') }, { strength: 0.5 })
   * ```
   */
  readonly strength?: number | undefined
}

const SAMPLING = optionTable('a call for pictures', {
  steps: STEPS.optional(),
  guidance: GUIDANCE.optional(),
  negativePrompt: negativePromptSchema.optional(),
  strength: STRENGTH.optional(),
})

/**
 * Completes what decides about the pictures of a request: a seed that isn't given is drawn here.
 *
 * @throws InvalidRequestError naming the option
 */
export function readSampling({
  seed = drawSeed(),
  ...sampling
}: Omit<EditImageCallOptions, 'control' | keyof ListeningOptions>) {
  readOption('seed', SEED, seed)
  return { seed, ...readOptions(SAMPLING, sampling) }
}

/** Drawn where the call is made, so that a job is the same wherever and however often it runs. */
function drawSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0]!
}
