import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { readTensorBytes } from '../../../../test/helpers/read-tensor.ts'
import type { WeightIndex } from '../../weights/weight-index.ts'

/** All files below a folder, by path in it, as a hub has them. */
export async function readFiles(folder: string): Promise<Record<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const files = await Promise.all(paths.map(async (path) => [path.slice(folder.length + 1), await readFile(path)]))
  return Object.fromEntries(files) as Record<string, Buffer>
}

/** A tensor has the same bytes in both. */
export function expectSame(name: string, ...indexes: readonly [WeightIndex, WeightIndex]): void {
  const [a, b] = indexes.map((index) => Buffer.from(readTensorBytes(index, name))) as [Buffer, Buffer]
  expect({ name, same: a.equals(b) }).toEqual({ name, same: true })
}
