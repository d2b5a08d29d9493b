import { z } from 'zod'
import type { ModelFiles } from '../models/model-files.ts'
import { readOptionalConfig } from '../models/read-config.ts'
import { calibrationSchema } from './calibrate.ts'

/** `tessera.json`: what a bundle says about itself beside its `config.json`. */
export const manifestSchema = z.object({
  name: z.string(),
  version: z.string(),
  template: z.enum(['branch-1', 'chat-1', 'tree-1']),
  readout: z.enum(['pointer', 'symbols', 'scorer']),
  /** How long states are read; see windows.ts. Sizes in tokens of the state. */
  window: z.object({
    tokens: z.number().int().min(64),
    overlap: z.number().int().min(0),
    sharpness: z.number().min(0),
  }),
  calibration: calibrationSchema.optional(),
})

export type Manifest = z.infer<typeof manifestSchema>

/**
 * The manifest of a bundle. A checkpoint without one is a plain chat model: it is read with the chat template, by answer
 * symbols, uncalibrated, in windows of `context` tokens, less what questions need.
 */
export async function readManifest(files: ModelFiles, context: number): Promise<Manifest> {
  const manifest = await readOptionalConfig(files, 'tessera.json', manifestSchema, 'a bundle manifest')
  if (manifest !== undefined) return manifest
  const window = { tokens: context, overlap: 256, sharpness: 4 }
  return { name: files.name, version: 'unversioned', template: 'chat-1', readout: 'symbols', window }
}
