import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'

interface Rate {
  readonly share: number
  readonly of: number
}

interface Report {
  readonly drawing: Record<string, { readonly recognised: Rate; readonly wordRead: Rate }>
  readonly colouring: Record<'seen' | 'unseen', { readonly colour: Rate }>
  readonly editing: Record<string, { readonly success: Rate }>
}

/** How each kind of edit is called in the document. */
const EDITS: Record<string, string> = {
  background: 'background',
  remove: 'remove',
  beside: 'a thing beside another',
  move: 'move',
  border: 'border',
  combine: 'combine',
  replace: 'replace',
  recolor: 'letters recoloured',
  paint: 'objects recoloured',
  retype: 'text changed',
  add: 'add',
  grayscale: 'grayscale',
  mirror: 'mirror',
  style: 'style',
}

const read = (file: string) => readFile(new URL(`../${file}`, import.meta.url), 'utf8')
const report = JSON.parse(await read('models/image-mini/evaluation.json')) as Report
// Its lines are broken anywhere.
const page = (await read('docs/embedded-models.md')).replaceAll('\n', ' ')

const right = ({ share, of }: Rate) => Math.round(share * of)
const percent = (rate: Rate) => Math.round((100 * right(rate)) / rate.of)
const sum = (rates: readonly Rate[], one: (rate: Rate) => number) => rates.reduce((all, rate) => all + one(rate), 0)
const size = ({ of }: Rate) => of

it("docs/embedded-models.md has image-mini's shares of what it draws", () => {
  const { object, five, fiveKinds } = report.drawing
  const scenes = ['pair', 'several', 'joined', 'count', 'mixed'].map((kind) => report.drawing[kind]!.recognised)
  const colours = [report.colouring.seen.colour, report.colouring.unseen.colour]
  expect(scenes.filter(({ share }) => share !== 1)).toEqual([])
  expect(page).toContain(
    `On its evaluation ${percent(object!.recognised)} % of ${object!.recognised.of} objects are recognised, all of ${sum(scenes, size)} in scenes of two to four, ` +
      `${percent(five!.recognised)} % of ${five!.recognised.of} in those of five of a kind and ${percent(fiveKinds!.recognised)} % in those of five different ones, ` +
      `and ${sum(colours, right)} of ${sum(colours, size)} colours of objects are right, ${colours[1]!.of} of them in combinations never trained;`,
  )
})

it('and of the words that are read in them', () => {
  const words = (...kinds: string[]) => {
    const rates = kinds.map((kind) => report.drawing[kind]!.wordRead)
    return `${sum(rates, right)} of ${sum(rates, size)}`
  }
  expect(page).toContain(
    `tesseract reads ${words('word', 'small letters')} words of up to six letters, ${words('coloured word')} coloured ones ` +
      `and ${words('seven to nine letters', 'ten letters')} of eight to ten.`,
  )
})

it('and of the edits that come out, the most frequent ones first', () => {
  const kinds = Object.entries(report.editing).map(([kind, { success }]) => ({ name: EDITS[kind], ...success }))
  const [whole, others] = [kinds.filter(({ share }) => share === 1), kinds.filter(({ share }) => share !== 1)]
  const said = /Of (\d+) edits a kind \((\d+) of mirror\) come out: (.+?) and (\w+) 100 %, (.+?)\./.exec(page)!
  expect(kinds.map(({ name, of }) => [name, of])).toEqual(
    kinds.map(({ name }) => [name, Number(name === 'mirror' ? said[2] : said[1])]),
  )
  expect([...said[3]!.split(', '), said[4]].toSorted()).toEqual(whole.map(({ name }) => name).toSorted())
  expect(said[5]).toBe(
    others
      .toSorted((a, b) => b.share - a.share)
      .map((rate) => `${rate.name} ${percent(rate)} %`)
      .join(', '),
  )
})
