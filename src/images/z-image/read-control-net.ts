import { ModelFormatError } from '../../errors/index.ts'
import type { ZImageConfig } from '../../models/configs/z-image-config.ts'
import { type ZImageControlConfig, zImageControlConfigSchema } from '../../models/configs/z-image-control-config.ts'
import type { ModelFiles } from '../../models/files/model-files.ts'
import { hasPart } from '../../models/list-parts.ts'
import { CONTROLNET } from '../../models/pipeline-parts.ts'
import { type Part, readPart } from '../read-part.ts'
import type { UnreadTensors } from '../unread-tensors.ts'

/** Published files of the form whose layers refine too carry blocks that nothing calls. */
const SUPERSEDED = /^control_noise_refiner\./

interface Wanted {
  readonly unread: Pick<UnreadTensors, 'controlnet'>
  /** Whether the pipeline is one that has a ControlNet. */
  readonly controlled: boolean
}

/**
 * The ControlNet in the folder `controlnet` of a pipeline.
 *
 * @returns undefined where the pipeline has none
 * @throws ModelFormatError where it is of another class, or made for another transformer
 */
export async function readControlNet(
  files: ModelFiles,
  { config: transformer }: Part<ZImageConfig>,
  { unread, controlled }: Wanted,
): Promise<Part<ZImageControlConfig> | undefined> {
  const folder = files.within(CONTROLNET.folder)
  if (!controlled && !(await hasPart(folder))) return undefined
  const part = await readPart(folder, zImageControlConfigSchema, 'a ZImageControlNetModel', unread.controlnet)
  requireSame(part, transformer)
  return part.config.add_control_noise_refiner === 'control_layers'
    ? { ...part, unread: [...part.unread, SUPERSEDED] }
    : part
}

/** @throws ModelFormatError naming the field that is not that of the transformer, or fits none like it */
function requireSame({ config, file }: Part<ZImageControlConfig>, transformer: ZImageConfig): void {
  for (const field of ['dim', 'n_heads'] as const) {
    if (config[field] === transformer[field]) continue
    throw new ModelFormatError(file, `${field}: ${transformer[field]}, as the transformer has`, String(config[field]))
  }
  const { in_channels: channels } = transformer
  const { control_in_dim: taken } = config
  if (taken !== channels && taken !== 2 * channels + 1) {
    const expected = `control_in_dim: ${channels}, or ${2 * channels + 1} with a mask and a source`
    throw new ModelFormatError(file, expected, String(taken))
  }
  requirePlaces('control_layers_places', config, transformer.n_layers, file)
  requirePlaces('control_refiner_layers_places', config, transformer.n_refiner_layers, file)
}

function requirePlaces(
  field: 'control_layers_places' | 'control_refiner_layers_places',
  config: ZImageControlConfig,
  layers: number,
  file: string,
): void {
  const beyond = config[field]?.find((place) => place >= layers)
  if (beyond === undefined) return
  throw new ModelFormatError(file, `${field} below ${layers}, the layers that the transformer has`, String(beyond))
}
