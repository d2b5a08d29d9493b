import { readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ModelFiles } from '../../files/model-files.ts'
import { openFolder } from '../../files/model-folder.ts'

/** Path of a file that test/fixtures/generate-gguf-fixtures.py writes. */
export function ggufFixture(name: string): string {
  return fileURLToPath(new URL(`../../../../test/fixtures/gguf/${name}`, import.meta.url))
}

/** A folder that has these bytes under these names. */
export function folderOf(contents: Readonly<Record<string, Uint8Array>>): ModelFiles {
  return {
    ...openFolder('/m'),
    async findWeights(name) {
      const bytes = contents[name]
      if (bytes === undefined) return undefined
      const read = async (start: number, length: number) => bytes.slice(start, start + length)
      return { folder: '/m', name, size: bytes.length, read }
    },
  }
}

/** The same of the fixture and what lies beside it. */
export function readFixture(name: string): Uint8Array {
  return new Uint8Array(readFileSync(ggufFixture(name)))
}

export function folderAround(path: string): [ModelFiles, string] {
  return [openFolder(dirname(path)), basename(path)]
}
