import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createCpuBackend } from '../../src/backends/index.ts'
import { readImageManifest } from '../../src/images/image-manifest.ts'
import { openImagePipeline, type PixelImage } from '../../src/images/index.ts'
import { resizeLanczos } from '../../src/images/picture/lanczos.ts'
import { applySourceEdit } from '../../src/images/picture/source-edit.ts'
import { openFolder } from '../../src/models/index.ts'
import { loadClassifier } from './classifier.ts'
import { nameBackground, nameInk } from './colours.ts'
import { writeSheet } from './contact-sheet.ts'
import { measureColours, readColours } from './measure-colours.ts'
import { measureEdits, readCases } from './measure-edits.ts'
import { listPrompts, SHEET_EDITS, SHEET_PROMPTS } from './prompts.ts'
import { readWord } from './read-word.ts'
import { share } from './share.ts'
import type { Wanted } from './wanted.ts'

/*
 * Evaluates image-mini and prints JSON, shares with their 95 % intervals:
 *
 *     npm run eval:images -- --work models/image-mini/recipe/work [--model FOLDER] [--objects 32] [--every 10] [--sheet FOLDER]
 *
 * --work is where the recipe put its classifier, its composed edits and its coloured objects. Prompts name the first
 * --objects objects of the recipe's list, or all, so that a model that knows fewer can be asked the same. A model that
 * draws smaller pictures is compared at 256 x 256. --sheet also draws the contact sheets of the model card there.
 */

const { values } = parseArgs({
  options: {
    work: { type: 'string' },
    model: { type: 'string', default: 'models/image-mini' },
    objects: { type: 'string' },
    every: { type: 'string', default: '1' },
    sheet: { type: 'string' },
    threads: { type: 'string', default: '1' },
    steps: { type: 'string' },
    guidance: { type: 'string' },
  },
})
if (!values.work) throw new Error('expected --work FOLDER, where the recipe of image-mini put its classifier and cases')

const SIDE = 256
const context = { turn: async () => {} }
const backend = await createCpuBackend({ threads: Number(values.threads) })
const files = openFolder(values.model)
const [native = SIDE] = (await readImageManifest(files)).native_sizes?.[0] ?? []
const pipeline = await openImagePipeline({ backend, files })
const classifier = await loadClassifier(values.work)
const objects = classifier.objects.slice(0, values.objects ? Number(values.objects) : undefined)
const every = <Item>(items: readonly Item[]) => items.filter((_, i) => i % Number(values.every) === 0)
const sampling = {
  ...(values.steps && { steps: Number(values.steps) }),
  ...(values.guidance && { guidance: Number(values.guidance) }),
}

async function draw(prompt: string, seed: number, ...sources: PixelImage[]): Promise<PixelImage> {
  const references = sources.map((source) => resizeLanczos(source, native, native))
  const request = { prompt, width: native, height: native, references, ...sampling }
  const picture = await (await pipeline.prepare(request, context)).draw(seed, context)
  const shown = (one: PixelImage) => resizeLanczos(one, SIDE, SIDE)
  // As `editImage` does with it.
  return picture.edit ? applySourceEdit(shown(picture), shown(sources[0]!), picture.edit) : shown(picture)
}

async function drawAll<Item>(items: readonly Item[], one: (item: Item, index: number) => Promise<PixelImage>) {
  const pictures: PixelImage[] = []
  for (const [index, item] of items.entries()) pictures.push(await one(item, index))
  return pictures
}

async function measurePrompts(wanted: readonly Wanted[]) {
  const pictures = await drawAll(wanted, ({ prompt }, seed) => draw(prompt, seed))
  const found = wanted.flatMap((one, i) =>
    one.objects.map(({ name, square }) => classifier.classify(pictures[i]!, square) === name),
  )
  const words: boolean[] = []
  for (const [i, { word, below = '' }] of wanted.entries()) {
    if (word === undefined) continue
    const read = await readWord(pictures[i]!)
    if (read === undefined) throw new Error('expected tesseract on the path, which reads the words')
    words.push(read === `${word}${below}`.replaceAll(' ', '').toLowerCase())
  }
  const inks = wanted.flatMap(({ ink }, i) => (ink === undefined ? [] : nameInk(pictures[i]!) === ink))
  return {
    pictures: wanted.length,
    ...(found.length > 0 && { recognised: share(found) }),
    background: share(
      wanted.map(({ background, fade }, i) =>
        fade === undefined
          ? nameBackground(pictures[i]!) === background
          : nameBackground(pictures[i]!, 'top') === background && nameBackground(pictures[i]!, 'bottom') === fade,
      ),
    ),
    ...(inks.length > 0 && { ink: share(inks) }),
    ...(words.length > 0 && { wordRead: share(words) }),
  }
}

const drawing: Record<string, unknown> = {}
for (const [task, wanted] of Object.entries(listPrompts(objects))) {
  drawing[task] = await measurePrompts(every(wanted))
}
const coloured = every(await readColours(join(values.work, 'cases')))
const colouring: Record<string, unknown> = {}
for (const [name, heldOut] of [
  ['seen', false],
  ['unseen', true],
] as const) {
  const asked = coloured.filter((one) => one.heldOut === heldOut)
  colouring[name] = measureColours(asked, await drawAll(asked, ({ prompt }, seed) => draw(prompt, seed)))
}
const cases = every(await readCases(join(values.work, 'cases')))
const results = await drawAll(cases, ({ prompt, sources }, seed) => draw(prompt, seed, ...sources))
const editing = Object.fromEntries(
  [...new Set(cases.map(({ kind }) => kind))].map((kind) => {
    const of = cases.map((one, i) => [one, results[i]!] as const).filter(([one]) => one.kind === kind)
    return [
      kind,
      measureEdits(
        of.map(([one]) => one),
        of.map(([, result]) => result),
      ),
    ]
  }),
)
if (values.sheet) {
  const drawn = await drawAll(SHEET_PROMPTS, draw)
  const edited = await drawAll(SHEET_EDITS, ({ of, prompt }, seed) => draw(prompt, seed, drawn[of]!))
  await writeSheet(join(values.sheet, 'drawn.webp'), drawn)
  await writeSheet(
    join(values.sheet, 'edited.webp'),
    SHEET_EDITS.flatMap(({ of }, i) => [drawn[of]!, edited[i]!]),
  )
}
await pipeline.dispose()
await backend.dispose()
const rounded = (_: string, value: unknown) => (typeof value === 'number' ? Number(value.toFixed(4)) : value)
console.log(JSON.stringify({ classifier: classifier.accuracy, drawing, colouring, editing }, rounded, 2))
