import { ModelFormatError } from '../../errors/index.ts'

interface Extent {
  readonly offset: number
  readonly length: number
}

/** @throws ModelFormatError naming two tensors of a file that share bytes */
export function refuseOverlap(tensors: ReadonlyMap<string, Extent>, file: string): void {
  const sorted = [...tensors].filter(([, entry]) => entry.length > 0).sort(([, a], [, b]) => a.offset - b.offset)
  for (let i = 1; i < sorted.length; i++) {
    const [name, entry] = sorted[i]!
    const [previousName, previous] = sorted[i - 1]!
    const end = previous.offset + previous.length
    if (entry.offset >= end) continue
    const expected = `${name.slice(0, 200)} after ${previousName.slice(0, 200)}, at byte ${end} or later`
    throw new ModelFormatError(file, expected, `byte ${entry.offset}`)
  }
}
