import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { ModelFormatError } from '../errors/index.ts'
import { calibrationSchema } from './calibrate.ts'

/** `tessera.json`: what a bundle says about itself beside its `config.json`. */
export const manifestSchema = z.object({
  name: z.string(),
  version: z.string(),
  template: z.enum(['branch-1', 'chat-1']),
  readout: z.enum(['pointer', 'symbols']),
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
 * symbols, uncalibrated, in windows as long as `context` positions allow.
 */
export async function readManifest(folder: string, name: string, context: number): Promise<Manifest> {
  const file = join(folder, 'tessera.json')
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause
    const window = { tokens: context, overlap: 256, sharpness: 4 }
    return { name, version: 'unversioned', template: 'chat-1', readout: 'symbols', window }
  }
  const parsed = manifestSchema.safeParse(parseJson(text))
  if (parsed.success) return parsed.data
  throw new ModelFormatError(file, 'a bundle manifest', z.prettifyError(parsed.error))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
