import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import * as z from 'zod'
import type { PixelImage } from '../../src/images/index.ts'
import { type Share, share } from './share.ts'

const caseSchema = z.object({ kind: z.string(), prompt: z.string(), sources: z.array(z.string()), after: z.string() })

/** An edit with its right result, which the recipe composed. */
export interface EditCase {
  readonly kind: string
  readonly prompt: string
  /** What is edited and, where pictures are combined, what it is combined with. */
  readonly sources: readonly PixelImage[]
  readonly after: PixelImage
}

export interface EditFigures {
  /** Edits whose changed pixels came closer to the right result by at least 60 %. */
  readonly success: Share
  /** Mean difference to the right result where the edit changes something, in levels of 255. */
  readonly changedError: number
  /** Mean difference to the source where nothing should change, in levels of 255; null where there is no such place. */
  readonly unchangedError: number | null
}

const SUCCESS = 0.4

/** @param folder as `make_cases.py` writes it */
export async function readCases(folder: string): Promise<EditCase[]> {
  const lines = (await readFile(join(folder, 'cases.jsonl'), 'utf8')).trim().split('\n')
  return Promise.all(
    lines.map(async (line) => {
      const { sources, after, ...row } = caseSchema.parse(JSON.parse(line))
      const read = (name: string) => readPicture(join(folder, name))
      return { ...row, sources: await Promise.all(sources.map(read)), after: await read(after) }
    }),
  )
}

export async function readPicture(file: string): Promise<PixelImage> {
  const { data, info } = await sharp(file).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, channels: 3, data: new Uint8Array(data) }
}

/** Leaves out cases in which nothing should change, such as a white picture made gray. @param results the model's pictures, one for each case */
export function measureEdits(cases: readonly EditCase[], results: readonly PixelImage[]): EditFigures {
  const rows = cases.flatMap(({ sources, after }, i) => compare(sources[0]!.data, after.data, results[i]!.data) ?? [])
  const unchanged = rows.flatMap(({ unchangedError }) => unchangedError ?? [])
  return {
    success: share(rows.map(({ success }) => success)),
    changedError: mean(rows.map(({ changedError }) => changedError)),
    unchangedError: unchanged.length > 0 ? mean(unchanged) : null,
  }
}

function compare(before: Uint8Array, after: Uint8Array, result: Uint8Array) {
  const all = Array.from(before.keys())
  const changed = all.filter((i) => before[i] !== after[i])
  if (changed.length === 0) return undefined
  const unchanged = all.filter((i) => before[i] === after[i])
  const between = (a: Uint8Array, b: Uint8Array, places: readonly number[]) =>
    mean(places.map((i) => Math.abs(a[i]! - b[i]!)))
  const changedError = between(result, after, changed)
  return {
    changedError,
    unchangedError: unchanged.length > 0 ? between(result, before, unchanged) : undefined,
    success: changedError <= SUCCESS * between(before, after, changed),
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
