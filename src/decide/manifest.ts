import * as z from 'zod'
import { readOptionalConfig } from '../models/configs/read-config.ts'
import type { ModelFiles } from '../models/files/model-files.ts'
import { calibrationSchema } from './calibrate.ts'
import { readOpenDeciderFile } from './opendecider-file.ts'
import { SHARPNESS } from './windows.ts'

/** `tessera.json`: what a bundle says about itself beside its `config.json`. */
export const manifestSchema = z.object({
  name: z.string(),
  version: z.string(),
  template: z.enum(['chat-1', 'tree-1']),
  readout: z.enum(['symbols', 'scorer']),
  /** The windows in which long states are read; see windows.ts. Sizes in tokens of the state. */
  window: z.object({
    tokens: z.number().int().min(64),
    overlap: z.number().int().min(0),
    sharpness: z.number().min(0),
  }),
  calibration: calibrationSchema.optional(),
})

/** Checkpoints that bring no manifest may be known to be asked in their authors' words. */
export type Manifest = Omit<z.infer<typeof manifestSchema>, 'template'> & {
  readonly template: z.infer<typeof manifestSchema>['template'] | 'opendecider-small' | 'opendecider-nano'
}

/** The version of a checkpoint without a manifest, which says of itself no more than its name. */
export const UNVERSIONED = 'unversioned'

/**
 * The manifest of a bundle. A checkpoint without one is a plain chat model, unless opendecider wrote it: it is read with the chat
 * template, by answer symbols, uncalibrated, in windows of `context` tokens, less what questions need.
 */
export async function readManifest(files: ModelFiles, context: number): Promise<Manifest> {
  const manifest = await readOptionalConfig(files, 'tessera.json', manifestSchema, 'a bundle manifest')
  if (manifest !== undefined) return manifest
  const window = { tokens: context, overlap: 256, sharpness: SHARPNESS }
  const opendecider = await readOpenDeciderFile(files)
  const template = opendecider === undefined ? 'chat-1' : (`opendecider-${opendecider.kind}` as const)
  return { name: opendecider?.name ?? files.name, version: UNVERSIONED, template, readout: 'symbols', window }
}
