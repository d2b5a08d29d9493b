import { ModelFormatError } from '../errors/index.ts'
import type { ModelFiles } from '../models/files/model-files.ts'
import { hasPart } from '../models/list-parts.ts'

/**
 * Refuses a folder beside the parts of a pipeline that nothing would read.
 *
 * @param expected what the pipeline should be, such as `no ControlNet in a Flux2KleinPipeline`
 * @throws ModelFormatError where it is there
 */
export async function refusePart(files: ModelFiles, folder: string, expected: string): Promise<void> {
  const part = files.within(folder)
  if (await hasPart(part)) throw new ModelFormatError(part.location, expected, 'one')
}
