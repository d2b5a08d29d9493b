import { stat } from 'node:fs/promises'

/**
 * Whether a file is there in its size; its content was checked when it came, or made here. Programs that tidy up by the age of files
 * leave folders without them, and a machine that stops leaves files that are cut off.
 */
export async function isWhole(path: string, { size }: { readonly size: number }): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.size === size,
    () => false,
  )
}
