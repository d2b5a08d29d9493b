import { ModelFormatError } from '../errors/index.ts'
import type { ModelFiles } from './files/model-files.ts'
import { isImageBundle } from './is-image-bundle.ts'
import { listParts } from './list-parts.ts'
import { openModel } from './open-model.ts'
import { indexWeights } from './weights/index-weights.ts'

/**
 * Bytes of the weights of a model: of the files that are read, not of others beside them or in folders below, or of what is made
 * from them. 0 of a decision model without any, which is refused when it is opened, after what its configuration says.
 */
export async function weighModel(path: string): Promise<number> {
  const files = openModel(path)
  const made = await files.made?.()
  if (made !== undefined) return made.size
  if (await isImageBundle(files)) {
    const parts = await listParts(files)
    return sum(await Promise.all(parts.map(({ folder }) => weighFiles(files.within(folder)))))
  }
  return weighFiles(files).catch((error: unknown) => {
    if (error instanceof ModelFormatError) return 0
    throw error
  })
}

/** The same of one part, or of any other folder. */
export async function weighFiles(files: ModelFiles): Promise<number> {
  const made = await files.made?.()
  if (made !== undefined) return made.size
  const weights = await indexWeights(files)
  return sum(weights.names.map((name) => weights.get(name)!.length))
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((all, size) => all + size, 0)
}
