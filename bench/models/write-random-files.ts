import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type RandomFormat, type Shapes, writeRandomBytes, writeRandomFloats } from './write-random-weights.ts'

/** The files of a checkpoint, by their path in its folder. */
export interface RandomFiles {
  readonly texts: Readonly<Record<string, string>>
  readonly weights: Readonly<Record<string, Shapes>>
}

/** Writes a folder that is there only when it is whole. @param format of the matrices; without, all is float32 */
export async function writeRandomFiles(
  folder: string,
  { texts, weights }: RandomFiles,
  format?: RandomFormat,
): Promise<void> {
  const draft = `${folder}.draft`
  await rm(draft, { recursive: true, force: true })
  for (const [path, text] of Object.entries(texts)) {
    await mkdir(dirname(join(draft, path)), { recursive: true })
    await writeFile(join(draft, path), text)
  }
  for (const [path, shapes] of Object.entries(weights)) {
    const file = join(draft, path)
    await (format ? writeRandomBytes(file, shapes, format) : writeRandomFloats(file, shapes))
  }
  await rm(folder, { recursive: true, force: true })
  await rename(draft, folder)
}
