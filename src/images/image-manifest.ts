import * as z from 'zod'
import { readOptionalConfig } from '../models/configs/read-config.ts'
import type { ModelFiles } from '../models/files/model-files.ts'

const manifestSchema = z.object({
  /** Hidden states of the text encoder that a FLUX.2 model reads. */
  text_encoder_out_layers: z.array(z.number().int().nonnegative()).min(1).optional(),
  /** Longest templated prompt, in tokens; a FLUX.2 model is always given as many. */
  max_sequence_length: z.number().int().positive().optional(),
  num_inference_steps: z.number().int().positive().optional(),
  guidance_scale: z.number().nonnegative().optional(),
  /** Sizes [width, height] that a small model was trained on, where it makes no others. */
  native_sizes: z
    .array(z.tuple([z.number().int().positive(), z.number().int().positive()]))
    .min(1)
    .optional(),
  /** Previews are drawn by the model's own decoder, where no linear map makes colours of its latents. */
  previews: z.literal('decoder').optional(),
  /**
   * What an edit leaves as the model saw it is the source's own, pixel by pixel, and where it changes colours alone the source's are changed so:
   * for a model that draws everything anew, and not exactly.
   */
  keeps_source: z.boolean().optional(),
  /** Lower-case words that a small model was trained on, where it knows no others. */
  known_words: z.array(z.string()).optional(),
  /** Those of them that it was shown in instructions to change pictures alone. */
  edit_words: z.array(z.string()).optional(),
  /** What it draws, by all lower-case names of one or several words. */
  objects: z.array(z.string()).optional(),
  /** Of a small model that writes what stands in quotes: the letters that it knows, and how many of them a text may have. */
  letters: z.object({ known: z.string(), longest: z.number().int().positive() }).optional(),
  /** Of a small model that draws few things at once: how many, which words say a number, and which may stand between one and what it counts. Lower-case words. */
  counts: z
    .object({
      most: z.number().int().positive(),
      numbers: z.record(z.string(), z.number().int().positive()),
      between: z.array(z.string()),
    })
    .optional(),
  /** Of a small model that draws objects in colours of their own: what a prompt calls objects and colours, and what it may say between them. Lower-case words. */
  own_colors: z
    .object({ objects: z.array(z.string()), colors: z.array(z.string()), adjectives: z.array(z.string()) })
    .optional(),
  /** Other words that it draws as one of these, by the word that they stand for. */
  synonyms: z.record(z.string(), z.string()).optional(),
})

/**
 * `tessera.json` of an image bundle: what the reference pipelines take as arguments of a call and published checkpoints
 * say in their model cards only, under the names that the reference gives them. Everything is optional.
 */
export type ImageManifest = z.infer<typeof manifestSchema>

/** @throws ModelFormatError when there is one that isn't a manifest */
export async function readImageManifest(files: ModelFiles): Promise<ImageManifest> {
  return (await readOptionalConfig(files, 'tessera.json', manifestSchema, 'the manifest of an image bundle')) ?? {}
}
