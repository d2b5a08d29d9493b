import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { PixelImage } from '../../src/images/index.ts'
import { nameBackground } from './colours.ts'
import { readPicture } from './measure-edits.ts'
import { type Share, share } from './share.ts'

const promptSchema = z.object({
  prompt: z.string(),
  colour: z.string(),
  background: z.string(),
  held_out: z.boolean(),
  looks: z.record(z.string(), z.string()),
})

/** A prompt for an object in a colour, and how the object looks in every colour, as the recipe composed it. */
export interface ColourCase {
  readonly prompt: string
  readonly colour: string
  readonly background: string
  /** Whether training never showed this object in this colour. */
  readonly heldOut: boolean
  readonly looks: readonly (readonly [colour: string, picture: PixelImage])[]
}

export interface ColourFigures {
  /** Pictures that are closest to the object in the colour that was asked for. */
  readonly colour: Share
  readonly background: Share
}

/** @param folder as `make_cases.py` writes it */
export async function readColours(folder: string): Promise<ColourCase[]> {
  const lines = (await readFile(join(folder, 'colours.jsonl'), 'utf8')).trim().split('\n')
  return Promise.all(
    lines.map(async (line) => {
      const { held_out: heldOut, looks, ...row } = promptSchema.parse(JSON.parse(line))
      const pictures = Object.entries(looks).map(
        async ([colour, file]) => [colour, await readPicture(join(folder, file))] as const,
      )
      return { ...row, heldOut, looks: await Promise.all(pictures) }
    }),
  )
}

/** @param pictures what the model drew, one for each case */
export function measureColours(cases: readonly ColourCase[], pictures: readonly PixelImage[]): ColourFigures {
  return {
    colour: share(cases.map(({ colour, looks }, i) => closest(pictures[i]!, looks) === colour)),
    background: share(cases.map(({ background }, i) => nameBackground(pictures[i]!) === background)),
  }
}

function closest(picture: PixelImage, looks: ColourCase['looks']): string {
  const distances = looks.map(([colour, look]) => [colour, distance(picture.data, look.data)] as const)
  return distances.reduce((best, one) => (one[1] < best[1] ? one : best))[0]
}

function distance(a: Uint8Array, b: Uint8Array): number {
  return a.reduce((sum, level, i) => sum + Math.abs(level - b[i]!), 0)
}
