import { ModelFormatError } from '../../errors/index.ts'
import type { PipelinePart } from '../pipeline-parts.ts'

/** What stands before the names of a part's tensors in files that have several parts. */
const PREFIXES: Readonly<Record<PipelinePart, RegExp>> = {
  transformer: /^(?:model\.)?diffusion_model\./,
  text_encoder: /^text_encoders\.[\w-]+\.transformer\./,
  vae: /^(?:vae|first_stage_model)\./,
  // Its files have nothing else, and no prefix.
  controlnet: /^(?!)/,
}
/** Beside the tensors of a text encoder stands what only training read. */
const OTHERS = /^text_encoders\./

/**
 * The tensors of a part by their names without a prefix: all of a file of one part, and of one that has more those with the
 * prefix of this.
 *
 * @param path of the file, for errors
 * @returns the stored name of each
 * @throws ModelFormatError naming a tensor that is of no part
 */
export function choosePart(names: Iterable<string>, part: PipelinePart, path: string): Map<string, string> {
  const all = [...names]
  const prefix = PREFIXES[part]
  if (!all.some((name) => prefix.test(name))) return new Map(all.map((name) => [name, name]))
  const chosen = new Map<string, string>()
  for (const name of all) {
    if (prefix.test(name)) chosen.set(name.replace(prefix, ''), name)
    else if (!OTHERS.test(name) && !Object.values(PREFIXES).some((other) => other.test(name))) {
      throw new ModelFormatError(path, `only tensors of ${Object.keys(PREFIXES).join(', ')}`, name.slice(0, 200))
    }
  }
  return chosen
}
