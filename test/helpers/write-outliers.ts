import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readSafetensors } from '../../src/models/weights/read-safetensors.ts'

/** Makes the first value of every row of a float32 matrix of a checkpoint as large as `size`. */
export async function writeOutliers(folder: string, name: string, size: number): Promise<void> {
  const { dtype, shape, file, offset } = (await readSafetensors(folder)).get(name)!
  if (dtype !== 'F32') throw new Error(`${name} is ${dtype}, expected F32`)
  const path = join(folder, file)
  const bytes = await readFile(path)
  for (let row = 0; row < shape[0]!; row++) bytes.writeFloatLE(size, offset + 4 * row * shape[1]!)
  await writeFile(path, bytes)
}
