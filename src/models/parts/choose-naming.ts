import * as z from 'zod'
import { ModelFormatError } from '../../errors/index.ts'
import { nameAutoencoder } from './autoencoder-naming.ts'
import { nameFlux2 } from './flux2-naming.ts'
import type { Naming } from './tensor-naming.ts'
import { nameZImage } from './z-image-naming.ts'

const Z_IMAGE = 'ZImageTransformer2DModel'
const FLUX2 = 'Flux2Transformer2DModel'

interface PartNaming {
  readonly naming: Naming
  /** What `general.architecture` of GGUF files says of such a part, where it says anything. */
  readonly architectures: readonly string[]
}

/** Says that nothing is known of what is in the file. */
const ANY = 'pig'
const UNKNOWN: PartNaming = { naming: (name) => [{ name }], architectures: [ANY] }

const autoencoderSchema = z.looseObject({
  block_out_channels: z.array(z.unknown()),
  decoder_block_out_channels: z.array(z.unknown()).nullish(),
})

/** How files call the tensors of a part of this configuration: by its `_class_name` in diffusers. */
export function chooseNaming(config: Readonly<Record<string, unknown>>): PartNaming {
  const { _class_name: name } = config
  // Z-Image is a variant of Lumina 2, under whose name the usual tools write it.
  if (name === Z_IMAGE) return { naming: nameZImage, architectures: ['lumina2', ANY] }
  if (name === FLUX2) return { naming: nameFlux2, architectures: ['flux', 'flux2', ANY] }
  const { data: autoencoder } = autoencoderSchema.safeParse(config)
  if (name !== 'AutoencoderKL' && name !== 'AutoencoderKLFlux2') return UNKNOWN
  const { block_out_channels: levels, decoder_block_out_channels: others } = autoencoder ?? { block_out_channels: [] }
  return { ...UNKNOWN, naming: nameAutoencoder((others ?? levels).length) }
}

/** The class of a transformer with these tensors, whose names are its own; undefined where it is none that is known. */
export function identifyTransformer(names: Iterable<string>): string | undefined {
  const found = new Set(names)
  if (found.has('cap_embedder.1.weight') && found.has('x_pad_token')) return Z_IMAGE
  const flux2 = ['single_stream_modulation.lin.weight', 'single_stream_modulation.linear.weight']
  return flux2.some((name) => found.has(name)) ? FLUX2 : undefined
}

/** @throws ModelFormatError where the file is of another transformer than the configuration */
export function requireTransformer(names: Iterable<string>, className: unknown, path: string): void {
  const found = identifyTransformer(names)
  if (found === undefined || found === className) return
  throw new ModelFormatError(path, `the tensors of a ${String(className).slice(0, 100)}`, `those of a ${found}`)
}
